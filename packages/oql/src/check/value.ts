import type { Distribution, Part } from '../metrics/distribution.ts';
import { FALSE, float64, int64, moment, NULL, type Sql, sql, TRUE, text } from '../sql/sql.ts';
import type { Range } from '../syntax/ast.ts';
import type { AttributeType } from './catalogue.ts';
import type { Enumeration } from './enumeration.ts';
import type { OqlType } from './types.ts';

export type Constant =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'int' | 'duration' | 'timestamp' | 'bytes'; readonly value: bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'null' };

/**
 * The types that a value of `any` can be read as. `fraction`: a float that was not sent as a whole number. `whole` and `rest`: the parts of
 * `float`, of which each value is in one (`Split`).
 */
export type ReadType = 'string' | 'int' | 'float' | 'fraction' | 'whole' | 'rest' | 'bool' | 'array' | 'map';

/** A number as the integer that was sent, and null in rows with another number; and the float in those. */
export interface Split {
  readonly whole: Sql;
  readonly rest: Sql;
}

/** A value whose type differs from row to row. */
export interface Dynamic {
  /** Reads it as one type; null (or `missing`, if given) in rows with another type or no value. */
  read(type: ReadType, missing?: Sql): Sql;
  /** The value as text, whatever its type; null if there is none. */
  readonly text: Sql;
  /** `text` as a number, read without making the text first; null if the value is not a number. */
  readonly number?: Sql;
  /** `text` with a letter for its type in front: see `check/tagged.ts`. */
  readonly tagged: Sql;
  /** Whether the types of the values were not stored, so that any text that looks like a number is read as one. */
  readonly untyped?: boolean;
  /** Whether there is a value. */
  readonly exists: Sql;
  /** Whether it is a text that is not empty, and the text then: both read one map, where the value may be in several. */
  readonly ofText?: { readonly holds: Sql; readonly value: Sql };
  /** The types seen so far, if known and if comparisons depend on the type. */
  readonly seen?: readonly AttributeType[];
  /** Whether it equals a text that is not empty, in a form that can use an index. */
  readonly equals?: (value: Sql) => Sql;
}

/** Ids are bytes in the store and hexadecimal text in OQL; they are compared as bytes, so that indexes are used. */
export interface RawId {
  readonly sql: Sql;
  readonly bytes: 8 | 16;
}

export interface ValueShare {
  readonly of: Distribution;
  readonly part: Part;
  /** The value of a row whose point is a number. */
  readonly number: Sql;
  /** The metric is known to have histograms. */
  readonly isKnown?: boolean;
}

export interface Integer {
  readonly sql: Sql;
  /** Whether aggregates compute in integers, which takes longer. */
  readonly isExpected: boolean;
  /** The value and this as one, where both are parts of a pair. */
  readonly pair?: Sql;
}

/** A checked expression. */
export interface Value {
  readonly type: OqlType;
  /** Has the ClickHouse type of `type`; for `any`, it is the text. */
  readonly sql: Sql;
  readonly nullable: boolean;
  /** The buckets of a histogram's point. */
  readonly distribution?: Distribution;
  /** The sum and number of a histogram's observations, which it has instead of a value. */
  readonly observed?: { readonly sum: Sql; readonly count: Sql };
  /** The smallest and largest observation of a histogram; null if its source did not report them. */
  readonly recorded?: { readonly min: Sql; readonly max: Sql };
  /** The value of a metric that is known to have histograms: it is a distribution, not a number. */
  readonly histogram?: true;
  /** The value of several metrics, some of which may have histograms. */
  readonly mixed?: true;
  /** The quantiles that a point of a summary has, and their values. */
  readonly summary?: { readonly levels: Sql; readonly values: Sql };
  /** The value of a metric that is known to have only summaries, which have no buckets. */
  readonly bucketless?: true;
  /** A condition on a histogram's value: the part of its observations that it selects, and the condition on a number. */
  readonly share?: ValueShare;
  /** Of a metric that is known to have histograms: what a count counts. */
  readonly counts?: 'points' | 'observations';
  /** Computed by an aggregate function, so it exists only in `stats`. */
  readonly aggregate?: boolean;
  /** Of a sum of whole numbers: the same in 128 bits, not yet checked to fit into 64. */
  readonly wide?: Sql;
  readonly constant?: Constant;
  readonly dynamic?: Dynamic;
  readonly id?: RawId;
  readonly enumeration?: { readonly of: Enumeration; readonly code: Sql };
  /** Of an array: the type of its elements; `any` if each is tagged. Absent: they are strings. */
  readonly elements?: OqlType;
  /**
   * Of a float that may have been sent as an integer: the integer if it is beyond 2^53, otherwise 0. It is compared with integers beyond 2^53, and
   * printed. `'none'`: the statement assumes that there are none.
   */
  readonly integer?: Integer | 'none';
  /** Of a number that is read from an attribute. A function, since only sums read it. */
  readonly split?: () => Split;
  /**
   * Of a text that may have been sent as a list or map, such as the body of a log record: tagged (`tagged.ts`), as it was sent.
   * A function, so that only answers and joins read its column.
   */
  readonly sent?: () => Sql;
  /** What an answer carries instead of `sql`, where that is cheaper to read; `decodeRow` knows both. */
  readonly answer?: Sql;
  /** The expression has an error that was already reported, so nothing more is reported about it. */
  readonly broken?: boolean;
}

/** Stands for an expression that has an error. */
export const BROKEN: Value = { type: 'any', sql: NULL, nullable: true, broken: true };

export function constant(value: Constant): Value {
  return { type: value.type, sql: constantSql(value), nullable: value.type === 'null', constant: value };
}

function constantSql(value: Constant): Sql {
  switch (value.type) {
    case 'string':
      return text(value.value);
    case 'int':
    case 'duration':
    case 'bytes':
      return int64(value.value);
    case 'timestamp':
      return moment(value.value);
    case 'float':
      return float64(value.value);
    case 'bool':
      return value.value ? TRUE : FALSE;
    case 'null':
      return NULL;
  }
}

/** Reads a value as another type: converts `any`, and returns a value of this type as it is. Undefined if it cannot be read. */
export function readAs(value: Value, type: Exclude<ReadType, 'fraction' | 'whole' | 'rest'>): Value | undefined {
  if (value.broken) return value;
  if (value.type === type) return value;
  if (type === 'float' && value.type === 'int') return value;
  if (value.type === 'null') return { ...value, type };
  if (value.dynamic === undefined || value.type !== 'any') return undefined;
  return { type, sql: value.dynamic.read(type), nullable: true, ...(value.aggregate ? { aggregate: true } : {}) };
}

/** True or false, never null, as filters and `and`, `or`, `not` require. */
export function condition(value: Value): Sql {
  return value.nullable ? sql`ifNull(${value.sql}, false)` : value.sql;
}

export function isNull(value: Value): Sql {
  if (value.constant) return value.constant.type === 'null' ? TRUE : FALSE;
  if (value.dynamic) return sql`(NOT ${value.dynamic.exists})`;
  return value.nullable ? sql`isNull(${value.sql})` : FALSE;
}

/** A value and its place in the query. */
export interface Operand {
  readonly value: Value;
  readonly at: Range;
}
