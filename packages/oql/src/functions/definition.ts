import type { OqlType } from '../check/types.ts';
import type { Value } from '../check/value.ts';
import type { Windows } from '../check/windows.ts';
import type { Sql } from '../sql/sql.ts';

/**
 * What an argument has to be: one of the types, or `number` (int or float), `quantity` (a number, duration or size),
 * `condition` (true or false), `value` (anything but a map or array). An attribute of any type is read as what is asked.
 */
export type Wanted = OqlType | 'number' | 'quantity' | 'condition' | 'value';

export interface Parameter {
  readonly name: string;
  readonly type: Wanted | readonly Wanted[];
  readonly optional?: boolean;
  /** The last parameter may come again. */
  readonly rest?: boolean;
  /** It has to be written out, since ClickHouse wants it before it runs. */
  readonly literal?: boolean;
}

interface Definition {
  readonly name: string;
  /** One sentence. */
  readonly doc: string;
  readonly parameters: readonly Parameter[];
  readonly returns: OqlType | ((args: readonly Value[]) => OqlType);
  /** The type of the elements of an array that it returns; absent: texts. */
  readonly elements?: (args: readonly Value[]) => OqlType | undefined;
}

/** A function of one row's values. Where an argument is null, so is the result, unless `nullable` says otherwise. */
export interface ScalarFunction extends Definition {
  readonly kind: 'scalar';
  readonly nullable?: (args: readonly Value[]) => boolean;
  /** Whether it knows what to make of the value of histograms and summaries. */
  readonly histograms?: true;
  /** What is wrong with the arguments beyond their types. */
  readonly fault?: (args: readonly Value[]) => string | undefined;
  readonly sql: (args: readonly Sql[], values: readonly Value[]) => Sql;
  /** An expression and its result, as JSON; each is a test. */
  readonly examples: readonly (readonly [expression: string, result: unknown])[];
}

/** What an aggregate may use of the rows that it is about. */
export interface AggregatedRows {
  /** How many events of the world each row stands for; absent where each stands for itself. */
  readonly weight?: Sql;
  readonly time?: Sql;
  /** A field of every row; undefined where there is none of this name. */
  readonly field: (name: string) => Sql | undefined;
}

/** A function of a group's rows. Nulls are passed over; without a value the result is null, except for counts and sums. */
export interface AggregateFunction extends Definition {
  readonly kind: 'aggregate';
  readonly nullable: boolean;
  /** Whether it knows what to make of the value of histograms; `share`: of a condition on it too. */
  readonly histograms?: true | 'share';
  readonly fault?: (args: readonly Value[]) => string | undefined;
  readonly sql: (args: readonly Value[], rows: AggregatedRows) => Sql;
  /** An expression over `x`, the values of `x`, and the result; each is a test. What is about traces alone has none. */
  readonly examples: readonly (readonly [expression: string, x: readonly unknown[], result: unknown])[];
}

/** The rows beside the one at hand, and where a value that is made of them goes: as a column of the step before. */
export type RowsBeside = Windows & { readonly add: (value: Sql) => Sql };

/** A function of a row and of others beside it, in `extend`. */
export interface WindowFunction extends Definition {
  readonly kind: 'window';
  readonly nullable: (args: readonly Value[]) => boolean;
  /** Whether it goes from row to row, so that these have to have an order. */
  readonly ordered: boolean;
  readonly fault?: (args: readonly Value[]) => string | undefined;
  readonly sql: (args: readonly Value[], beside: RowsBeside) => Sql;
  /** An expression over `x`, the values of `x` in one bucket after the other, and the results; each is a test. */
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
