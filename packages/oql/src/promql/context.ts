import type { Expression } from './ast.ts';
import type { Vector } from './vector.ts';

export interface TranslateOptions {
  /**
   * All labels that series can have. An expression that keeps the labels of its series needs them, since OQL groups by
   * names; names that a series does not have do no harm. Undefined: they are not known.
   */
  readonly labels?: readonly string[];
  /** `alert`: asked for one window; `record`: asked for each step of time, which OQL does for one grouping. */
  readonly purpose: 'alert' | 'record';
}

/** What the parts of one translation share. */
export interface Context {
  readonly options: TranslateOptions;
  /** Labels are compared with those of other rows: a missing one must then equal a missing one. */
  readonly isMatching: boolean;
  /** Translates an operand. */
  readonly vectorOf: (expression: Expression) => Vector;
  readonly found: Found;
}

/** What its parts tell about the translation as a whole. */
export interface Found {
  windowSeconds: number | undefined;
  hasConditionsInside: boolean;
  /** Joins so far: each needs a name. */
  joins: number;
}
