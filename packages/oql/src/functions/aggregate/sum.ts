import { exactSum, summands } from '../../check/integers.ts';
import { checkedWhole, wide } from '../../check/whole.ts';
import { assumed } from '../../metrics/assumption.ts';
import { aggregate, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';
import { compensatedSum } from './compensated.ts';

/** Sums whole numbers times weights in integers: a float would keep only 53 bits of the sum. Weights are exact to 2^-32. */
function weightedTotal(value: Sql, weight: Sql): Sql {
  const scaled = sql`toInt128(round(${weight} * 4294967296))`;
  const total = aggregate('sum', [sql`(${wide(value)} * ${scaled})`]);
  return sql`intDiv(${total} + if(${total} < 0, -2147483648, 2147483648), 4294967296)`;
}

export const sum: AggregateFunction = {
  kind: 'aggregate',
  name: 'sum',
  doc: 'The sum; 0 if there are no values. Of attributes and points that were sent as integers: exact up to 2^63; for attributes, a larger sum fails. With a fraction among them, the nearest float. For a histogram: the sum of its observations.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: ([of]) => of?.type ?? 'float',
  nullable: false,
  weights: 'counted',
  histograms: true,
  sql: ([of], { weight }) => {
    const value = of?.observed ? sql`coalesce(${of.sql}, ${of.observed.sum})` : (of?.sql ?? sql`0`);
    if (of?.type === 'float') {
      const total = sql`ifNull(${compensatedSum(weight ? sql`(${value} * ${weight})` : value)}, 0.)`;
      if (of.integer !== 'none') return total;
      // Of integers, it would be rounded; 2^53 itself may be the rounded 2^53 + 1.
      return sql`arrayMap(s -> if(${assumed(sql`abs(s) >= 9007199254740992 AND isFinite(s)`, 'integers')}, 0., s), [${total}])[1]`;
    }
    const total = weight ? weightedTotal(value, weight) : aggregate('sum', [wide(value)]);
    return checkedWhole(of?.nullable ? sql`ifNull(${total}, 0)` : total, false);
  },
  exact: ([of], { weight }) => {
    const added = of?.observed ? undefined : summands(of, weight);
    return added && exactSum(added);
  },
  examples: [
    ['sum(x)', [1, 2, 3.5], 6.5],
    ['sum(x)', [1, 2], 3],
    ['sum(x)', [1.5, 1e100, 1, -1e100], 2.5],
    ['sum(x)', [], 0],
  ],
};
