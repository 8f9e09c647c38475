/** The tree of a TraceQL query. */

export type AttributeScope = 'any' | 'span' | 'resource' | 'event' | 'link' | 'instrumentation';

export type IntrinsicName =
  | 'duration'
  | 'name'
  | 'kind'
  | 'status'
  | 'statusMessage'
  | 'traceDuration'
  | 'rootName'
  | 'rootServiceName'
  | 'trace:id'
  | 'span:id'
  | 'span:parentID'
  | 'span:childCount'
  | 'event:name'
  | 'event:timeSinceStart'
  | 'link:spanID'
  | 'link:traceID'
  | 'instrumentation:name'
  | 'instrumentation:version'
  | 'nestedSetParent'
  | 'nestedSetLeft'
  | 'nestedSetRight';

export type Field =
  | {
      readonly kind: 'attribute';
      readonly scope: AttributeScope;
      readonly name: string;
      /** `parent.…`: of the parent of the span. */
      readonly isOfParent?: boolean;
    }
  | { readonly kind: 'intrinsic'; readonly name: IntrinsicName };

export type Static =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'duration'; readonly nanoseconds: bigint }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'nil' }
  | { readonly type: 'status' | 'kind'; readonly value: string };

export type CompareOperator = '=' | '!=' | '<' | '<=' | '>' | '>=' | '=~' | '!~';
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '^';
export type LogicalOperator = '&&' | '||';

export type Expression =
  | { readonly kind: 'static'; readonly static: Static }
  | { readonly kind: 'field'; readonly field: Field }
  | { readonly kind: 'unary'; readonly operator: '-' | '!'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: CompareOperator | ArithmeticOperator | LogicalOperator;
      readonly left: Expression;
      readonly right: Expression;
    };

type Relation = '>' | '>>' | '<' | '<<' | '~';
/** `!>`: no such relation; `&>`: both sides of it. */
export type SpansetOperator = LogicalOperator | Relation | `!${Relation}` | `&${Relation}`;

export type Spanset =
  | { readonly kind: 'filter'; readonly condition: Expression }
  | { readonly kind: 'operation'; readonly operator: SpansetOperator; readonly left: Spanset; readonly right: Spanset }
  | { readonly kind: 'pipeline'; readonly stages: readonly Stage[] };

export type Aggregate =
  | { readonly fn: 'count' }
  | { readonly fn: 'min' | 'max' | 'avg' | 'sum'; readonly of: Expression };

export type Scalar =
  | { readonly kind: 'static'; readonly static: Static }
  | { readonly kind: 'aggregate'; readonly aggregate: Aggregate }
  | { readonly kind: 'negative'; readonly operand: Scalar }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: Scalar;
      readonly right: Scalar;
    };

export type Stage =
  | { readonly kind: 'spanset'; readonly spanset: Spanset }
  | { readonly kind: 'scalar'; readonly operator: CompareOperator; readonly left: Scalar; readonly right: Scalar }
  | { readonly kind: 'by'; readonly key: Expression }
  | { readonly kind: 'coalesce' }
  | { readonly kind: 'select'; readonly fields: readonly Field[] };

export type Metric =
  | { readonly kind: 'rate' | 'count_over_time'; readonly by: readonly Field[] }
  | {
      readonly kind: 'min_over_time' | 'max_over_time' | 'avg_over_time' | 'sum_over_time' | 'histogram_over_time';
      readonly of: Field;
      readonly by: readonly Field[];
    }
  | {
      readonly kind: 'quantile_over_time';
      readonly of: Field;
      readonly levels: readonly number[];
      readonly by: readonly Field[];
    }
  | {
      readonly kind: 'compare';
      readonly selection: Expression;
      /** How many values of each attribute. */
      readonly top: number;
      /** When the selected spans began; undefined: at any time. */
      readonly selected: { readonly fromNs: bigint; readonly toNs: bigint } | undefined;
    };

/** What follows a metrics function, in order. */
export type SecondStage =
  | { readonly kind: 'topk' | 'bottomk'; readonly count: number }
  | { readonly kind: 'filter'; readonly operator: FilterOperator; readonly value: number };

export type FilterOperator = Exclude<CompareOperator, '=~' | '!~'>;

/** One metrics query: spans, and the function that measures them. */
export interface MetricsQuery {
  readonly kind: 'query';
  readonly stages: readonly Stage[];
  readonly metric: Metric;
  readonly after: readonly SecondStage[];
}

export type MetricsOperator = '+' | '-' | '*' | '/';

/** Metrics queries combined by arithmetic. */
export type MetricsExpression =
  | MetricsQuery
  | { readonly kind: 'number'; readonly value: number }
  | {
      readonly kind: 'arithmetic';
      readonly operator: MetricsOperator;
      readonly left: MetricsExpression;
      readonly right: MetricsExpression;
      readonly after: readonly SecondStage[];
    };

/** What `with (…)` asks for. Hints that change no answer are checked and not kept. */
export interface Hints {
  /** Most exemplars of a metrics query; undefined: as many as the request wants. */
  readonly exemplars?: number;
}

export interface TraceqlQuery {
  /** Of a search; a metrics query has its own. */
  readonly stages: readonly Stage[];
  readonly metrics: MetricsExpression | undefined;
  readonly hints: Hints;
}
