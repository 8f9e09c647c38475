import { condition } from '../../check/value.ts';
import { shareWithin } from '../../metrics/share.ts';
import { aggregate, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

export const ratio: AggregateFunction = {
  kind: 'aggregate',
  name: 'ratio',
  doc: 'The share of rows that match a condition, 0 to 1. With a condition on the value of a histogram: the share of its observations, as in `ratio(value <= 0.1)`.',
  parameters: [{ name: 'condition', type: 'condition' }],
  returns: 'float',
  nullable: true,
  weights: 'counted',
  histograms: 'share',
  sql: ([of], { weight }) => {
    if (of?.share) return shareWithin(of.share, condition(of));
    const holds = of ? condition(of) : sql`true`;
    return weight
      ? sql`(${aggregate('sumIf', [weight, holds])} / nullIf(${aggregate('sum', [weight])}, 0))`
      : sql`(${aggregate('countIf', [holds])} / nullIf(${aggregate('count', [])}, 0))`;
  },
  examples: [
    ['ratio(x > 1)', [1, 2, 3, 4], 0.75],
    ['ratio(x > 1)', [], null],
  ],
};
