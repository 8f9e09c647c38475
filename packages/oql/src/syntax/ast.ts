/** A piece of the query text: 0-based UTF-16 offsets, the end exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export type Query = Range & {
  readonly kind: 'query';
  readonly lets: readonly Let[];
  readonly range?: TimeRange;
  readonly pipeline: Pipeline;
};

export type Let = Range & { readonly name: Name; readonly pipeline: Pipeline };
export type Name = Range & { readonly text: string };

export type TimeRange = Range & { readonly from: TimePoint; readonly to?: TimePoint };
export type TimePoint = Range &
  (
    | { readonly kind: 'now' }
    | { readonly kind: 'timestamp'; readonly nanoseconds: bigint }
    | { readonly kind: 'ago'; readonly amount: NumberLiteral }
  );

export type Pipeline = Range & { readonly source: Source; readonly stages: readonly Stage[] };

export type Signal = 'logs' | 'spans' | 'traces' | 'events' | 'links';
export type Source = Range &
  (
    | { readonly kind: 'signal'; readonly signal: Signal }
    | { readonly kind: 'metric'; readonly metric: string }
    /** All metrics whose names match a regular expression. */
    | { readonly kind: 'matching'; readonly pattern: string; readonly at: Range }
    | { readonly kind: 'exemplars'; readonly metric: string }
    /** Lists the metrics or fields that exist. */
    | { readonly kind: 'metrics' | 'fields' }
    | { readonly kind: 'changes' }
    | { readonly kind: 'profiles'; readonly profile: string }
    | { readonly kind: 'flags'; readonly flag: string }
    | { readonly kind: 'named'; readonly name: Name }
    | { readonly kind: 'pipeline'; readonly pipeline: Pipeline }
  );

export type Stage = Range &
  (
    | { readonly kind: 'where'; readonly predicate: Expression }
    /** `where CONDITION for DURATION` */
    | { readonly kind: 'held'; readonly predicate: Expression; readonly duration: NumberLiteral }
    | { readonly kind: 'match'; readonly nodes: readonly ShapeNode[]; readonly operators: readonly ShapeOperator[] }
    /** `within`: the groups whose rows the functions of other rows read. Empty: the series of each row. */
    | { readonly kind: 'extend'; readonly assignments: readonly Assignment[]; readonly within: readonly Path[] }
    | { readonly kind: 'fields'; readonly paths: readonly Path[] }
    | { readonly kind: 'omit'; readonly paths: readonly Path[] }
    | { readonly kind: 'dedup'; readonly paths: readonly Path[] }
    | { readonly kind: 'parse'; readonly source: Path; readonly format: ParseFormat }
    | { readonly kind: 'patterns'; readonly field?: Path; readonly by: readonly Aliased[] }
    | { readonly kind: 'range'; readonly fn: RangeFunction; readonly duration?: NumberLiteral }
    | { readonly kind: 'trend'; readonly fn: 'irate' | 'deriv' | 'latest'; readonly duration?: NumberLiteral }
    | {
        readonly kind: 'trend';
        readonly fn: 'predict';
        readonly ahead: NumberLiteral;
        readonly duration?: NumberLiteral;
      }
    | { readonly kind: 'offset'; readonly duration: NumberLiteral }
    | { readonly kind: 'promrate'; readonly fn: PromFunction; readonly duration?: NumberLiteral }
    | {
        readonly kind: 'stats';
        readonly aggregates: readonly Aliased[];
        readonly by: readonly Aliased[];
        readonly without?: readonly Path[];
      }
    | {
        readonly kind: 'aggregate';
        readonly name: Name;
        readonly args?: Arguments;
        readonly by: readonly Aliased[];
        readonly without?: readonly Path[];
      }
    | { readonly kind: 'fill'; readonly fill: 'prev' | 'linear' | Expression }
    | { readonly kind: 'compare'; readonly offset: NumberLiteral; readonly zone?: ZoneName }
    | { readonly kind: 'contrast'; readonly predicate: Expression; readonly top?: NumberLiteral }
    | {
        readonly kind: 'join';
        readonly mode: JoinMode;
        readonly source: Source;
        readonly on: readonly Path[];
        readonly within?: NumberLiteral;
        readonly as?: Name;
      }
    | { readonly kind: 'sort'; readonly orders: readonly Expression[] }
    | {
        readonly kind: 'top';
        readonly count: NumberLiteral;
        readonly by: Expression;
        /** The groups of which each keeps its own rows; empty: all rows are one group. */
        readonly within: readonly Path[];
        readonly other: boolean;
      }
    | { readonly kind: 'limit'; readonly count: NumberLiteral; readonly offset?: NumberLiteral }
    | { readonly kind: 'sample'; readonly fraction: NumberLiteral }
    | { readonly kind: 'union'; readonly sources: readonly Source[] }
    | {
        readonly kind: 'funnel';
        readonly by: Aliased;
        readonly within: NumberLiteral;
        readonly steps: readonly ShapeNode[];
      }
    | { readonly kind: 'flame'; readonly diff?: NumberLiteral }
    /** The number of records on each side; absent: none on this side. */
    | { readonly kind: 'context'; readonly before?: NumberLiteral; readonly after?: NumberLiteral }
    | {
        readonly kind: 'concurrency';
        readonly width: NumberLiteral;
        readonly over?: NumberLiteral;
        readonly by: readonly Aliased[];
      }
    /** Replaces a stage that does not parse. Its error was already reported; its output is unknown. */
    | { readonly kind: 'broken' }
  );

export type StageKind = Stage['kind'];
export type StageOf<K extends StageKind> = Extract<Stage, { readonly kind: K }>;

export type RangeFunction = 'rate' | 'increase' | 'delta';
export type PromFunction = 'promrate' | 'promincrease';
export type JoinMode = 'inner' | 'left' | 'anti';
/** descendant, child, sibling, linked */
export type ShapeOperator = '>>' | '>' | '~' | '->';
export type ShapeNode = Range & { readonly name?: Name; readonly predicate: Expression };
export type Assignment = Range & { readonly target: Path; readonly value: Expression };
export type Aliased = Range & { readonly alias?: Name; readonly value: Expression };
export type Arguments = Range & { readonly star: boolean; readonly items: readonly Expression[] };
/** A time zone, such as `Europe/Berlin`. */
export type ZoneName = Range & { readonly text: string };
export type ParseFormat =
  | { readonly kind: 'json' }
  | { readonly kind: 'logfmt' }
  | { readonly kind: 'regex'; readonly text: string; readonly range: Range }
  | { readonly kind: 'pattern'; readonly text: string; readonly range: Range };

export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | '=~' | '!~' | 'has' | 'contains' | 'startswith';

export type Path = Range & {
  readonly kind: 'path';
  readonly segments: readonly string[];
  /** `kv["x"][0]`: the keys and indexes to read from the value, in order. */
  readonly index?: readonly (string | bigint)[];
};

export type NumberLiteral = Range &
  (
    | { readonly kind: 'int'; readonly value: bigint }
    | { readonly kind: 'float'; readonly value: number }
    | { readonly kind: 'duration'; readonly nanoseconds: bigint }
    /** Months of the calendar, which have no fixed length. */
    | { readonly kind: 'months'; readonly months: bigint }
    | { readonly kind: 'bytes'; readonly bytes: bigint }
    /** A number with an unknown unit, which was already reported. */
    | { readonly kind: 'invalid' }
  );

export type Literal =
  | NumberLiteral
  | (Range & { readonly kind: 'string'; readonly value: string })
  | (Range & { readonly kind: 'timestamp'; readonly nanoseconds: bigint })
  | (Range & { readonly kind: 'bool'; readonly value: boolean })
  | (Range & { readonly kind: 'null' });

export type Call = Range & { readonly kind: 'call'; readonly name: Name; readonly args: Arguments };

/** The rows that an aggregate in `extend` covers: all, this one and some before it, or those within a duration up to it. */
export type Frame = Range &
  (
    | { readonly kind: 'all' }
    | { readonly kind: 'buckets' | 'rows'; readonly count: NumberLiteral }
    | { readonly kind: 'time'; readonly duration: NumberLiteral }
  );

export type Expression =
  | Literal
  | Path
  | (Range & { readonly kind: 'param'; readonly name: string })
  | Call
  | (Range & { readonly kind: 'or' | 'and'; readonly operands: readonly Expression[] })
  | (Range & { readonly kind: 'not' | 'negate' | 'exists'; readonly operand: Expression })
  | (Range & {
      readonly kind: 'compare';
      readonly operator: CompareOperator;
      readonly left: Expression;
      readonly right: Expression;
    })
  | (Range & { readonly kind: 'in'; readonly value: Expression; readonly negated: boolean; readonly set: InSet })
  | (Range & {
      readonly kind: 'between';
      readonly value: Expression;
      readonly low: Expression;
      readonly high: Expression;
    })
  /** A sub-query, used as the single value that it returns. */
  | (Range & { readonly kind: 'scalar'; readonly pipeline: Pipeline })
  | (Range & { readonly kind: 'over'; readonly call: Call; readonly frame: Frame })
  | (Range & { readonly kind: 'arithmetic'; readonly first: Expression; readonly rest: readonly ArithmeticTerm[] });

export type ExpressionOf<K extends Expression['kind']> = Extract<Expression, { readonly kind: K }>;
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';
/** A chain contains only operators of one precedence: `+ -`, or `* / %`. It is left-associative. */
export interface ArithmeticTerm {
  readonly operator: ArithmeticOperator;
  readonly operand: Expression;
}
export type InSet =
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'query'; readonly pipeline: Pipeline };
