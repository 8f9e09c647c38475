import type { OqlType } from '../../check/types.ts';
import { wide } from '../../check/whole.ts';
import { aggregate, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';
import { compensatedMean } from './compensated.ts';

/** The mean of durations is a duration, to the nanosecond; the mean of whole numbers is a float. */
export function meanType(type: OqlType | undefined): OqlType {
  return type === 'duration' || type === 'bytes' ? type : 'float';
}

export function asMean(type: OqlType | undefined, value: Sql): Sql {
  return meanType(type) === 'float' ? value : sql`toInt64(round(${value}))`;
}

export const avg: AggregateFunction = {
  kind: 'aggregate',
  name: 'avg',
  doc: 'The arithmetic mean. For a histogram: the mean of its observations.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: ([of]) => meanType(of?.type),
  nullable: true,
  weights: 'counted',
  histograms: true,
  sql: ([of], { weight }) => {
    const value = of?.sql ?? sql`0`;
    if (of?.observed) {
      const count = aggregate('sum', [sql`if(isNull(${value}), ifNull(toFloat64(${of.observed.count}), 0.), 1.)`]);
      return compensatedMean(sql`coalesce(${value}, ${of.observed.sum})`, count);
    }
    if (weight) return asMean(of?.type, aggregate('avgWeightedOrNull', [value, weight]));
    if (of?.type === 'float') return compensatedMean(value);
    // The engine adds whole numbers in 64 bits.
    return asMean(of?.type, aggregate('avgOrNull', [wide(value)]));
  },
  examples: [
    ['avg(x)', [1, 2, 6], 3],
    ['avg(x)', [0.5, 1e100, 1, -1e100], 0.375],
    ['avg(x)', [], null],
  ],
};
