import { condition as holding, type Value } from '../../check/value.ts';
import { NULL, type Sql, sql } from '../../sql/sql.ts';

/** A value where a condition holds, and null elsewhere: aggregates pass over nulls. */
export function where(of: Value | undefined, condition: Value | undefined): Value {
  if (of === undefined || condition === undefined) return { type: 'null', sql: NULL, nullable: true };
  const { type, observed, distribution, recorded } = of;
  const only = (value: Sql) => sql`if(${holding(condition)}, ${value}, NULL)`;
  const buckets = (value: Sql) => sql`if(${holding(condition)}, ${value}, mapFilter((k, v) -> false, ${value}))`;
  return {
    type,
    sql: only(of.sql),
    nullable: true,
    ...(observed && { observed: { sum: only(observed.sum), count: only(observed.count) } }),
    ...(recorded && { recorded: { min: only(recorded.min), max: only(recorded.max) } }),
    ...(distribution && {
      distribution: { ...distribution, shapes: buckets(distribution.shapes), counts: buckets(distribution.counts) },
    }),
  };
}
