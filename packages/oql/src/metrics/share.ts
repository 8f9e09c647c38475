import type { Value, ValueShare } from '../check/value.ts';
import { aggregate, type Sql, sql } from '../sql/sql.ts';
import { distributionWithin, isEverywhere } from './distribution.ts';

/** How many of the observations of a group's histograms meet a condition, and of its numbers; null where a bucket has no bounds. */
export function countWithin({ of, part }: ValueShare, holds: Sql): Sql {
  const numbers = isEverywhere(of) ? sql`0` : aggregate('countIf', [holds]);
  return sql`arrayMap((d, n) -> if(isNaN(d.1), NULL, n + d.1), [${distributionWithin(of, part)}], [${numbers}])[1]`;
}

/** Which share of the observations of a group's histograms meets a condition, and of its numbers; null where there is none. */
export function shareWithin({ of, part, number }: ValueShare, holds: Sql): Sql {
  const [within, all] = isEverywhere(of)
    ? [sql`0`, sql`0`]
    : [aggregate('countIf', [holds]), aggregate('countIf', [sql`isNotNull(${number})`])];
  return sql`arrayMap((d, n, m) -> if(isNaN(d.1), NULL, (n + d.1) / nullIf(m + d.2, 0)), [${distributionWithin(of, part)}], [${within}], [${all}])[1]`;
}

/** How many observations there are, each number counted as one. */
export function countObserved({ sql: value }: Value, { count }: NonNullable<Value['observed']>): Sql {
  return aggregate('sum', [sql`if(isNull(${value}), ifNull(toFloat64(${count}), 0.), 1.)`]);
}
