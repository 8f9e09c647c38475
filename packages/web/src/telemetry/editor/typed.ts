/** What a plain field leaves to the editor that takes its place. */
export interface Typed {
  readonly text: string;
  readonly hasFocus: boolean;
}
