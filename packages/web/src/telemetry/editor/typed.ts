/** What a plain field leaves to the editor that takes its place. */
export interface Typed {
  /** Absent if nobody changed it. */
  readonly text?: string;
  readonly hasFocus: boolean;
}
