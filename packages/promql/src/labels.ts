/** The labels of a series with `__name__`: a map, because names are chosen by senders and `__proto__` is one. */
export type Labels = ReadonlyMap<string, string>;

export const METRIC_NAME = '__name__';

/** Any text that is not empty; a replacement character stands for bytes that were not UTF-8. */
export function isLabelName(name: string): boolean {
  return name !== '' && !name.includes('\ufffd');
}

export interface LabelMatcher {
  readonly name: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}
