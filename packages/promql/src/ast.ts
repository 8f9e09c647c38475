import type { LabelMatcher } from './labels.ts';

export type ValueType = 'scalar' | 'string' | 'vector' | 'matrix';

/** Where a part stands in the text, in UTF-16 code units. */
export interface Position {
  readonly from: number;
  readonly to: number;
  /** The whole text. */
  readonly text: string;
}

/** Moves the time of a selector or sub-query: `@` first, then `offset`. */
export interface TimeShift {
  readonly offsetMs: number;
  /** Milliseconds since 1970, or an end of the evaluated range. */
  readonly at?: number | 'start' | 'end';
}

export interface NumberLiteral {
  readonly kind: 'number';
  readonly value: number;
  /** Written as a duration, such as `5m`. */
  readonly isDuration?: true;
  readonly position: Position;
}

export interface StringLiteral {
  readonly kind: 'string';
  readonly value: string;
  readonly position: Position;
}

export interface VectorSelector {
  readonly kind: 'selector';
  /** Written before the braces. */
  readonly metric?: string;
  /** Without the one of `metric`. */
  readonly matchers: readonly LabelMatcher[];
  readonly shift: TimeShift;
  /** `[5m]`; absent for an instant vector. */
  readonly rangeMs?: number;
  readonly position: Position;
}

export interface Subquery {
  readonly kind: 'subquery';
  readonly of: Expression;
  readonly rangeMs: number;
  /** Absent: the default step of the evaluation. */
  readonly stepMs?: number;
  readonly shift: TimeShift;
  readonly position: Position;
}

export interface Call {
  readonly kind: 'call';
  readonly fn: string;
  readonly args: readonly Expression[];
  readonly position: Position;
}

export type AggregateOperator =
  | 'sum'
  | 'avg'
  | 'count'
  | 'min'
  | 'max'
  | 'group'
  | 'stddev'
  | 'stdvar'
  | 'topk'
  | 'bottomk'
  | 'quantile'
  | 'count_values';

export interface Aggregate {
  readonly kind: 'aggregate';
  readonly op: AggregateOperator;
  readonly of: Expression;
  readonly parameter?: Expression;
  /** Absent: `by ()`. */
  readonly grouping?: { readonly mode: 'by' | 'without'; readonly labels: readonly string[] };
  readonly position: Position;
}

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '^' | 'atan2';
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';
/** Of native histograms: cut what is above or below. */
export type TrimOperator = '</' | '>/';
export type SetOperator = 'and' | 'or' | 'unless';
export type BinaryOperator = ArithmeticOperator | ComparisonOperator | TrimOperator | SetOperator;

export interface VectorMatching {
  readonly mode: 'on' | 'ignoring';
  readonly labels: readonly string[];
  readonly group?: { readonly side: 'left' | 'right'; readonly include: readonly string[] };
}

export interface Binary {
  readonly kind: 'binary';
  readonly op: BinaryOperator;
  readonly bool: boolean;
  /** Absent: all labels, one to one. */
  readonly matching?: VectorMatching;
  readonly left: Expression;
  readonly right: Expression;
  readonly position: Position;
}

export interface Unary {
  readonly kind: 'unary';
  readonly op: '+' | '-';
  readonly of: Expression;
  readonly position: Position;
}

export interface Parentheses {
  readonly kind: 'parentheses';
  readonly of: Expression;
  readonly position: Position;
}

export type Expression =
  | NumberLiteral
  | StringLiteral
  | VectorSelector
  | Subquery
  | Call
  | Aggregate
  | Binary
  | Unary
  | Parentheses;
