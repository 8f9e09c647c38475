import { checkedWhole, wide } from '../../check/whole.ts';
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
  doc: 'The sum; 0 if there are no values. For an attribute: as a float, exact up to 2^53; `sum(int(x))` is exact up to 2^63 and fails beyond. For a histogram: the sum of its observations.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: ([of]) => of?.type ?? 'float',
  nullable: false,
  histograms: true,
  sql: ([of], { weight }) => {
    const value = of?.observed ? sql`coalesce(${of.sql}, ${of.observed.sum})` : (of?.sql ?? sql`0`);
    if (of?.type === 'float') {
      return sql`ifNull(${compensatedSum(weight ? sql`(${value} * ${weight})` : value)}, 0.)`;
    }
    const total = weight ? weightedTotal(value, weight) : aggregate('sum', [wide(value)]);
    return checkedWhole(of?.nullable ? sql`ifNull(${total}, 0)` : total, false);
  },
  examples: [
    ['sum(x)', [1, 2, 3.5], 6.5],
    ['sum(x)', [1, 2], 3],
    ['sum(x)', [1.5, 1e100, 1, -1e100], 2.5],
    ['sum(x)', [], 0],
  ],
};
