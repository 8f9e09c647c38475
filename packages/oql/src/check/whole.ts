import { type Sql, sql } from '../sql/sql.ts';

/**
 * Whole numbers of 64 bits that are calculated with. The engine wraps silently at 2^63; here a result that does not fit makes
 * the statement fail, which the caller is told as a value that cannot be calculated.
 */
export function checkedWhole(wide: Sql, nullable: boolean): Sql {
  return nullable ? sql`accurateCast(${wide}, 'Nullable(Int64)')` : sql`accurateCast(${wide}, 'Int64')`;
}

/** Wide enough for the sum, difference or product of two of them. */
export function wide(value: Sql): Sql {
  return sql`toInt128(${value})`;
}

/**
 * A float, rounded to a whole number of 64 bits. Below a null the engine keeps what was calculated, such as the infinity of a
 * division by what is missing: that is not converted.
 */
export function roundedWhole(value: Sql, nullable: boolean): Sql {
  const rounded = sql`round(${value})`;
  return nullable
    ? sql`if(isNull(${rounded}), NULL, ${checkedWhole(sql`assumeNotNull(${rounded})`, false)})`
    : checkedWhole(rounded, false);
}
