import type { OqlType } from '../check/types.ts';
import type { Value } from '../check/value.ts';
import type { Windows } from '../check/windows.ts';
import type { Sql } from '../sql/sql.ts';

/**
 * The required type of an argument: one of the types, or `number` (int or float), `quantity` (a number, duration or size),
 * `condition` (true or false), `value` (anything but a map or array). An attribute of any type is read as the required type.
 */
export type Wanted = OqlType | 'number' | 'quantity' | 'condition' | 'value';

export interface Parameter {
  readonly name: string;
  readonly type: Wanted | readonly Wanted[];
  readonly optional?: boolean;
  /** The last parameter may be repeated. */
  readonly rest?: boolean;
  /** It must be a literal, since ClickHouse needs it before it runs the statement. */
  readonly literal?: boolean;
}

interface Definition {
  readonly name: string;
  /** One sentence. */
  readonly doc: string;
  readonly parameters: readonly Parameter[];
  readonly returns: OqlType | ((args: readonly Value[]) => OqlType);
  /** The element type of an array that it returns; absent: strings. */
  readonly elements?: (args: readonly Value[]) => OqlType | undefined;
}

/** A function of one row's values. If an argument is null, so is the result, unless `nullable` says otherwise. */
export interface ScalarFunction extends Definition {
  readonly kind: 'scalar';
  readonly nullable?: (args: readonly Value[]) => boolean;
  /** Whether it supports the values of histograms and summaries. */
  readonly histograms?: true;
  /** Describes a mistake in the arguments other than a wrong type. */
  readonly fault?: (args: readonly Value[]) => string | undefined;
  readonly sql: (args: readonly Sql[], values: readonly Value[]) => Sql;
  /** As of an aggregate. */
  readonly exact?: (values: readonly Value[]) => Sql | undefined;
  /** An expression and its result, as JSON; each is a test. */
  readonly examples: readonly (readonly [expression: string, result: unknown])[];
}

/** The properties of its rows that an aggregate may use. */
export interface AggregatedRows {
  /** How many real events each row represents; absent if each represents one. */
  readonly weight?: Sql;
  readonly time?: Sql;
  /** A field of every row; undefined if there is none with this name. */
  readonly field: (name: string) => Sql | undefined;
}

/**
 * What an aggregate does where a row stands for several, as a sampled span does. `counted`: it counts as often. `alike`: the answer is the same for
 * a row and for those that it stands for. `stored`: it counts once.
 */
export type WeightRule = 'counted' | 'alike' | 'stored';

/** A function of a group's rows. It skips nulls; without a value the result is null, except for counts and sums. */
export interface AggregateFunction extends Definition {
  readonly kind: 'aggregate';
  readonly nullable: boolean;
  readonly weights: WeightRule;
  /** Whether it supports the values of histograms; `share`: also a condition on such a value. */
  readonly histograms?: true | 'share';
  readonly fault?: (args: readonly Value[]) => string | undefined;
  readonly sql: (args: readonly Value[], rows: AggregatedRows) => Sql;
  /** The result and its integer, as a pair, where floats would round it: see `Value.integer`. */
  readonly exact?: (args: readonly Value[], rows: AggregatedRows) => Sql | undefined;
  /** An expression over `x`, the values of `x`, and the result; each is a test. Functions that only apply to traces have none. */
  readonly examples: readonly (readonly [expression: string, x: readonly unknown[], result: unknown])[];
}

/** The order of the rows around the current one, and `add`, which makes a value computed from them a column of the previous step. */
export type RowsBeside = Windows & { readonly add: (value: Sql) => Sql };

/** A function of a row and of other rows, in `extend`. */
export interface WindowFunction extends Definition {
  readonly kind: 'window';
  readonly nullable: (args: readonly Value[]) => boolean;
  /** The order that it requires: that of the series, or the last `sort`; undefined if it requires none. */
  readonly order: (args: readonly Value[]) => 'order' | 'sorted' | undefined;
  readonly fault?: (args: readonly Value[]) => string | undefined;
  readonly sql: (args: readonly Value[], beside: RowsBeside) => Sql;
  /** As of an aggregate. */
  readonly exact?: (args: readonly Value[], beside: RowsBeside) => Sql | undefined;
  /** An expression over `x`, the values of `x` in consecutive buckets, and the results; each is a test. */
  readonly examples: readonly (readonly [expression: string, x: readonly unknown[], result: readonly unknown[]])[];
}

export type OqlFunction = ScalarFunction | AggregateFunction | WindowFunction;

/** `lower(text: string)` */
export function signature({ name, parameters }: OqlFunction): string {
  const written = parameters.map((parameter) => {
    const types = typeof parameter.type === 'string' ? [parameter.type] : parameter.type;
    return `${parameter.name}${parameter.optional ? '?' : ''}: ${types.join(' | ')}${parameter.rest ? ', …' : ''}`;
  });
  return `${name}(${written.join(', ')})`;
}
