import { condition, type Value } from '../../check/value.ts';
import type { End } from '../../metrics/distribution.ts';
import { shareWithin } from '../../metrics/share.ts';
import { aggregate, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

function endOf(bound: Value | undefined): End | undefined {
  if (!bound || bound.type === 'null') return undefined;
  return { at: sql`toFloat64(${bound.sql})`, inclusive: false };
}

export const histogramFraction: AggregateFunction = {
  kind: 'aggregate',
  name: 'histogram_fraction',
  doc: "The share of all values from `lower` to below `upper`; use `null` for no bound. For histograms it is interpolated within buckets, like Prometheus' `histogram_fraction`; values beyond the last bound count as above every number.",
  parameters: [
    { name: 'of', type: 'number' },
    { name: 'lower', type: ['number', 'null'], literal: true },
    { name: 'upper', type: ['number', 'null'], literal: true },
  ],
  returns: 'float',
  nullable: true,
  weights: 'counted',
  histograms: true,
  sql: ([of, from, to], { weight }) => {
    const [lower, upper] = [endOf(from), endOf(to)];
    const value = of?.sql ?? sql`0`;
    const bounds = [
      ...(lower ? [sql`${value} >= ${lower.at}`] : []),
      ...(upper ? [sql`${value} < ${upper.at}`] : []),
      sql`isNotNull(${value})`,
    ];
    const holds = condition({
      type: 'bool',
      sql: bounds.reduce((all, one) => sql`(${all} AND ${one})`),
      nullable: of?.nullable ?? false,
    });
    if (!of?.distribution) {
      const number = (of: Sql) => (weight ? aggregate('sumIf', [weight, of]) : aggregate('countIf', [of]));
      return sql`(${number(holds)} / nullIf(${number(sql`isNotNull(${value})`)}, 0))`;
    }
    const part = { ...(lower && { lower }), ...(upper && { upper }) };
    return shareWithin({ of: of.distribution, part, number: value }, holds);
  },
  examples: [
    ['histogram_fraction(x, 1, 3)', [0, 1, 2, 3], 0.5],
    ['histogram_fraction(x, null, 2.5)', [0, 1, 2, 3], 0.75],
    ['histogram_fraction(x, 0, 1)', [], null],
  ],
};
