import { type Sql, sql } from '../sql/sql.ts';
import type { OqlType } from './types.ts';

/**
 * Casts a value to the ClickHouse type of its OQL type: whole numbers, durations and sizes are Nullable(Int64),
 * floats Nullable(Float64), and so on. Undefined for lists and maps, which have no such type.
 */
export function canonical(type: OqlType, value: Sql): Sql | undefined {
  switch (type) {
    case 'timestamp':
      return sql`CAST(${value}, 'Nullable(DateTime64(9, \\'UTC\\'))')`;
    case 'int':
    case 'duration':
    case 'bytes':
      return sql`CAST(${value}, 'Nullable(Int64)')`;
    case 'float':
      return sql`CAST(${value}, 'Nullable(Float64)')`;
    case 'bool':
      return sql`CAST(${value}, 'Nullable(Bool)')`;
    case 'string':
    case 'any':
    case 'null':
      return sql`CAST(${value}, 'Nullable(String)')`;
    case 'map':
    case 'array':
      return undefined;
  }
}
