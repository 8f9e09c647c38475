/** The labels of a series with `__name__`: a map, because names are chosen by senders and `__proto__` is one. */
export type Labels = ReadonlyMap<string, string>;

export const METRIC_NAME = '__name__';

export interface LabelMatcher {
  readonly name: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}
