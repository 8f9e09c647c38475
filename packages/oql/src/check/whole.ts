import { asCheck, type Sql, sql } from '../sql/sql.ts';

/**
 * Checks that the result of 64-bit arithmetic fits. The engine wraps silently at 2^63; this makes the statement
 * fail instead, and the caller gets an error about a value that cannot be calculated.
 */
export function checkedWhole(wide: Sql, nullable: boolean): Sql {
  // Beneath a null the engine keeps the calculated value, which may not fit.
  return asCheck(
    nullable
      ? sql`arrayMap(w -> if(isNull(w), NULL, accurateCast(assumeNotNull(w), 'Int64')), [${wide}])[1]`
      : sql`accurateCast(${wide}, 'Int64')`,
  );
}

/** The same with other checks, which the engine does not share with those of the original; undefined if it has none. */
export function checkedApart(value: Sql): Sql | undefined {
  if (value.kind !== 'text' && value.kind !== 'aggregate') return undefined;
  const args = value.args.map(checkedApart);
  const isCheck = value.kind === 'text' && value.isCheck === true;
  if (!isCheck && args.every((arg) => arg === undefined)) return undefined;
  const [first, ...rest] = value.args.map((arg, at) => args[at] ?? arg);
  if (!first) return undefined;
  return { ...value, args: [isCheck ? sql`(${first} + 0)` : first, ...rest] };
}

/** Whether a float cannot tell a whole number from its neighbors. */
export function isBeyondFloats(value: bigint): boolean {
  return value >= 2n ** 53n || value <= -(2n ** 53n);
}

/** Wide enough for the sum, difference or product of two of them. */
export function wide(value: Sql): Sql {
  return sql`toInt128(${value})`;
}

/**
 * A float, rounded to a whole number of 64 bits. Beneath a null the engine keeps the calculated value, such as the infinity of
 * a division by a missing value: that value is not converted.
 */
export function roundedWhole(value: Sql, nullable: boolean): Sql {
  const rounded = sql`round(${value})`;
  return nullable
    ? sql`if(isNull(${rounded}), NULL, ${checkedWhole(sql`assumeNotNull(${rounded})`, false)})`
    : checkedWhole(rounded, false);
}
