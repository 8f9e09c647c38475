import { aggregate, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

export const sum: AggregateFunction = {
  kind: 'aggregate',
  name: 'sum',
  doc: 'The sum; 0 of nothing. Of the value of a histogram: the sum of what it has counted.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: ([of]) => of?.type ?? 'float',
  nullable: false,
  histograms: true,
  sql: ([of], { weight }) => {
    const value = of?.observed ? sql`coalesce(${of.sql}, ${of.observed.sum})` : (of?.sql ?? sql`0`);
    const total = weight ? aggregate('sum', [sql`(${value} * ${weight})`]) : aggregate('sum', [value]);
    if (of?.type === 'float') return of.nullable ? sql`ifNull(${total}, 0.)` : total;
    const whole = weight ? sql`toInt64(round(${total}))` : total;
    return of?.nullable ? sql`ifNull(${whole}, 0)` : whole;
  },
  examples: [
    ['sum(x)', [1, 2, 3.5], 6.5],
    ['sum(x)', [1, 2], 3],
    ['sum(x)', [], 0],
  ],
};
