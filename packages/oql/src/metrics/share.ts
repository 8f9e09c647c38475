import type { Value, ValueShare } from '../check/value.ts';
import { aggregate, type Sql, sql } from '../sql/sql.ts';
import { distributionWithin, isEverywhere } from './distribution.ts';

/** How many observations of a group's histograms, and how many of its numbers, meet a condition; null if a bucket has no bounds. */
export function countWithin({ of, part }: ValueShare, holds: Sql): Sql {
  const numbers = isEverywhere(of) ? sql`0` : aggregate('countIf', [holds]);
  return sql`arrayMap((d, n) -> if(isNaN(d.1), NULL, n + d.1), [${distributionWithin(of, part)}], [${numbers}])[1]`;
}

/** The share of a group's observations and numbers that meet a condition; null if the group has neither. */
export function shareWithin({ of, part, number }: ValueShare, holds: Sql): Sql {
  const [within, all] = isEverywhere(of)
    ? [sql`0`, sql`0`]
    : [aggregate('countIf', [holds]), aggregate('countIf', [sql`isNotNull(${number})`])];
  return sql`arrayMap((d, n, m) -> if(isNaN(d.1), NULL, (n + d.1) / nullIf(m + d.2, 0)), [${distributionWithin(of, part)}], [${within}], [${all}])[1]`;
}

/** The number of observations; each number counts as one. */
export function countObserved({ sql: value }: Value, { count }: NonNullable<Value['observed']>): Sql {
  return aggregate('sum', [sql`if(isNull(${value}), ifNull(toFloat64(${count}), 0.), 1.)`]);
}
