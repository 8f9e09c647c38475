/** A condition on one label, as in `{app="x"}`. */
export interface Matcher {
  readonly name: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** A condition on labels of a line, after `|`. Durations are in nanoseconds, sizes in bytes. */
export type LabelFilter =
  | { readonly kind: 'text'; readonly matcher: Matcher }
  | {
      readonly kind: 'number' | 'duration' | 'bytes';
      readonly name: string;
      readonly op: Comparison;
      readonly value: number;
    }
  | { readonly kind: 'ip'; readonly name: string; readonly op: '=' | '!='; readonly range: string }
  | { readonly kind: 'and' | 'or'; readonly left: LabelFilter; readonly right: LabelFilter };

export interface LineFilter {
  readonly kind: 'line_filter';
  readonly op: '|=' | '!=' | '|~' | '!~' | '|>' | '!>';
  /** Several are joined by `or`. */
  readonly texts: readonly string[];
  /** Of `ip()`: addresses that the line contains. */
  readonly ranges: readonly string[];
}

/** A label that a parser extracts, and where from. */
export interface Extraction {
  readonly name: string;
  readonly path: string;
}

export interface LabelAssignment {
  readonly name: string;
  /** A label, or a template. */
  readonly from: { readonly label: string } | { readonly template: string };
}

/** With a matcher, only where the value matches. */
export interface LabelChoice {
  readonly name: string;
  readonly matcher?: Matcher;
}

export type Stage =
  | LineFilter
  | { readonly kind: 'label_filter'; readonly filter: LabelFilter }
  | { readonly kind: 'json'; readonly fields: readonly Extraction[] }
  | {
      readonly kind: 'logfmt';
      readonly fields: readonly Extraction[];
      readonly isStrict: boolean;
      readonly keepsEmpty: boolean;
    }
  | { readonly kind: 'regexp' | 'pattern'; readonly pattern: string }
  | { readonly kind: 'unpack' }
  | { readonly kind: 'decolorize' }
  | { readonly kind: 'line_format'; readonly template: string }
  | { readonly kind: 'label_format'; readonly assignments: readonly LabelAssignment[] }
  | { readonly kind: 'drop' | 'keep'; readonly labels: readonly LabelChoice[] };

/** Lines, and what happens to each. */
export interface LogQuery {
  readonly kind: 'lines';
  readonly matchers: readonly Matcher[];
  readonly stages: readonly Stage[];
}

export interface Unwrap {
  readonly label: string;
  readonly conversion: 'number' | 'duration' | 'bytes';
  /** Conditions after the conversion. */
  readonly filters: readonly LabelFilter[];
}

export interface Grouping {
  readonly mode: 'by' | 'without';
  readonly labels: readonly string[];
}

export const RANGE_OPERATORS = [
  ...(['count_over_time', 'rate', 'bytes_over_time', 'bytes_rate', 'absent_over_time', 'rate_counter'] as const),
  ...(['sum_over_time', 'avg_over_time', 'min_over_time', 'max_over_time', 'quantile_over_time'] as const),
  ...(['first_over_time', 'last_over_time', 'stddev_over_time', 'stdvar_over_time'] as const),
] as const;
export type RangeOperator = (typeof RANGE_OPERATORS)[number];

/** A function of the lines in `(t - range, t]`, at each step. */
export interface RangeAggregate {
  readonly kind: 'range';
  readonly op: RangeOperator;
  /** Of quantiles. */
  readonly parameter?: number;
  readonly lines: LogQuery;
  readonly unwrap?: Unwrap;
  readonly rangeNs: bigint;
  readonly offsetNs: bigint;
  readonly grouping?: Grouping;
}

export type VectorOperator =
  | ('sum' | 'avg' | 'min' | 'max' | 'count' | 'stddev' | 'stdvar')
  | ('topk' | 'bottomk' | 'sort' | 'sort_desc');

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '^' | Comparison | 'and' | 'or' | 'unless';

export interface VectorMatching {
  readonly mode: 'on' | 'ignoring';
  readonly labels: readonly string[];
  readonly group?: { readonly side: 'left' | 'right'; readonly include: readonly string[] };
}

export type MetricQuery =
  | RangeAggregate
  | {
      readonly kind: 'vector_aggregate';
      readonly op: VectorOperator;
      readonly parameter?: number;
      readonly grouping?: Grouping;
      readonly of: MetricQuery;
    }
  | {
      readonly kind: 'binary';
      readonly op: BinaryOperator;
      readonly bool: boolean;
      readonly matching?: VectorMatching;
      readonly left: MetricQuery;
      readonly right: MetricQuery;
    }
  | {
      readonly kind: 'label_replace';
      readonly of: MetricQuery;
      /** Target, replacement, source, pattern. */
      readonly texts: readonly string[];
    }
  | { readonly kind: 'number' | 'vector'; readonly value: number };

export type Query = LogQuery | MetricQuery;
