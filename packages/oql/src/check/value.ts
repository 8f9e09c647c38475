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

/** What a read of `any` can be asked for; `fraction` is a float that was not sent as a whole number. */
export type ReadType = 'string' | 'int' | 'float' | 'fraction' | 'bool' | 'array' | 'map';

/** A value whose type differs from row to row. */
export interface Dynamic {
  /** As one type; null (or `missing`, where given) in rows that hold another type or none. */
  read(type: ReadType, missing?: Sql): Sql;
  /** Whatever it is, as text; null where there is nothing. */
  readonly text: Sql;
  /** The same behind a letter that says its type: see `check/tagged.ts`. */
  readonly tagged: Sql;
  /** Whether types were not kept with the values, so that any text that looks like a number is read as one. */
  readonly untyped?: boolean;
  /** Whether there is anything. */
  readonly exists: Sql;
  /** The types that it has been seen with, where that is known and the type decides what it equals. */
  readonly seen?: readonly AttributeType[];
  /** Whether it equals a text that is not empty, written so that an index answers it. */
  readonly equals?: (value: Sql) => Sql;
}

/** Ids are bytes in the store and hexadecimal text in OQL; compared as bytes, so that indexes serve. */
export interface RawId {
  readonly sql: Sql;
  readonly bytes: 8 | 16;
}

export interface ValueShare {
  readonly of: Distribution;
  readonly part: Part;
  /** The value of a row that is a number. */
  readonly number: Sql;
}

/** A checked expression. */
export interface Value {
  readonly type: OqlType;
  /** Of the ClickHouse type that stands for `type`; for `any`, the text. */
  readonly sql: Sql;
  readonly nullable: boolean;
  /** The buckets that a point of a histogram has beside its value. */
  readonly distribution?: Distribution;
  /** The sum and number of what a histogram has counted, which it has in the place of a value. */
  readonly observed?: { readonly sum: Sql; readonly count: Sql };
  /** The smallest and largest value that a histogram has counted, where its source has told; null where not. */
  readonly recorded?: { readonly min: Sql; readonly max: Sql };
  /** The value of a metric that is known to have histograms: it is a distribution, and no number. */
  readonly histogram?: true;
  /** The value of several metrics, of which some may have histograms. */
  readonly mixed?: true;
  /** The quantiles that a point of a summary has, and their values. */
  readonly summary?: { readonly levels: Sql; readonly values: Sql };
  /** The value of a metric that is known to have summaries alone: they have no buckets. */
  readonly bucketless?: true;
  /** A condition on a histogram's value: the part of its observations that it is about, and the condition on a number. */
  readonly share?: ValueShare;
  /** Made by an aggregate function, so it exists only in `stats`. */
  readonly aggregate?: boolean;
  /** Of a sum of whole numbers: the same in 128 bits, not yet known to fit into 64. */
  readonly wide?: Sql;
  readonly constant?: Constant;
  readonly dynamic?: Dynamic;
  readonly id?: RawId;
  readonly enumeration?: { readonly of: Enumeration; readonly code: Sql };
  /** Of an array: the type of its elements; `any` where each is tagged. Absent: they are texts. */
  readonly elements?: OqlType;
  /** The expression could not be checked; told already, so nothing more is said about it. */
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

/** The same expression as another type: `any` is read as it; what has the type stays. Undefined where it cannot be. */
export function readAs(value: Value, type: Exclude<ReadType, 'fraction'>): Value | undefined {
  if (value.broken) return value;
  if (value.type === type) return value;
  if (type === 'float' && value.type === 'int') return value;
  if (value.type === 'null') return { ...value, type };
  if (value.dynamic === undefined || value.type !== 'any') return undefined;
  return { type, sql: value.dynamic.read(type), nullable: true, ...(value.aggregate ? { aggregate: true } : {}) };
}

/** True or false, never null: what a filter and `and`, `or`, `not` work with. */
export function condition(value: Value): Sql {
  return value.nullable ? sql`ifNull(${value.sql}, false)` : value.sql;
}

export function isNull(value: Value): Sql {
  if (value.constant) return value.constant.type === 'null' ? TRUE : FALSE;
  if (value.dynamic) return sql`(NOT ${value.dynamic.exists})`;
  return value.nullable ? sql`isNull(${value.sql})` : FALSE;
}

/** A value, and where the query names it. */
export interface Operand {
  readonly value: Value;
  readonly at: Range;
}
