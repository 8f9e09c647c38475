import { condition as holding, type Value } from '../../check/value.ts';
import { NULL, sql } from '../../sql/sql.ts';

/** A value where a condition holds, and null elsewhere: aggregates pass over nulls. */
export function where(of: Value | undefined, condition: Value | undefined): Value {
  if (of === undefined || condition === undefined) return { type: 'null', sql: NULL, nullable: true };
  const { type, sql: value } = of;
  return { type, sql: sql`if(${holding(condition)}, ${value}, NULL)`, nullable: true };
}
