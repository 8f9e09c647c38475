import { condition as holding, type Value } from '../../check/value.ts';
import { NULL, type Sql, sql } from '../../sql/sql.ts';

/** A value where a condition holds, and null elsewhere: aggregates skip nulls. */
export function where(of: Value | undefined, condition: Value | undefined): Value {
  if (of === undefined || condition === undefined) return { type: 'null', sql: NULL, nullable: true };
  const { type, dynamic, observed, distribution, recorded, integer, split } = of;
  // The engine would take a condition that never holds, and with it the value, for a null without a type.
  const holds = readsRows(holding(condition)) ? holding(condition) : sql`materialize(${holding(condition)})`;
  const only = (value: Sql) => sql`if(${holds}, ${value}, NULL)`;
  const buckets = (value: Sql) => sql`if(${holds}, ${value}, mapFilter((k, v) -> false, ${value}))`;
  return {
    type,
    sql: only(of.sql),
    nullable: true,
    ...(integer === 'none' && { integer }),
    ...(typeof integer === 'object' && {
      integer: { sql: sql`if(${holds}, ${integer.sql}, 0)`, isExpected: integer.isExpected },
    }),
    ...(split && { split: () => ({ whole: only(split().whole), rest: only(split().rest) }) }),
    ...(dynamic && {
      dynamic: {
        text: only(dynamic.text),
        tagged: only(dynamic.tagged),
        ...(dynamic.untyped ? { untyped: true } : {}),
        ...(dynamic.seen ? { seen: dynamic.seen } : {}),
        exists: sql`(${holds} AND ${dynamic.exists})`,
        read: (type, missing) => {
          const read = only(dynamic.read(type));
          return missing ? sql`ifNull(${read}, ${missing})` : read;
        },
      },
    }),
    ...(observed && { observed: { sum: only(observed.sum), count: only(observed.count) } }),
    ...(recorded && { recorded: { min: only(recorded.min), max: only(recorded.max) } }),
    ...(distribution && {
      distribution:
        'bounds' in distribution
          ? { ...distribution, counts: sql`if(${holds}, ${distribution.counts}, [])` }
          : { ...distribution, shapes: buckets(distribution.shapes), counts: buckets(distribution.counts) },
    }),
  };
}

function readsRows(expression: Sql): boolean {
  if (expression.kind === 'text' || expression.kind === 'aggregate') return expression.args.some(readsRows);
  return expression.kind !== 'parameter';
}
