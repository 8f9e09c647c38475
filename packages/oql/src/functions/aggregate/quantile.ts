import type { Value } from '../../check/value.ts';
import { distributionQuantile } from '../../metrics/distribution.ts';
import { aggregate, type Sql, sql } from '../../sql/sql.ts';
import type { AggregatedRows, AggregateFunction } from '../definition.ts';
import { asMean, meanType } from './avg.ts';
import { EXACT_VALUES, weightedQuantile } from './weighted-quantile.ts';

/**
 * A quantile of a group: the value at position `level * (n - 1)` of its sorted values, with linear interpolation between two
 * values. A row that represents several events counts that many times, by the same formula: {@link weightedQuantile}.
 */
export function quantileOf(level: number, of: Value | undefined, { weight }: AggregatedRows): Sql {
  const quantile = weight
    ? weightedQuantile(level, of, weight)
    : aggregate('quantileExactInclusiveOrNull', [of?.sql ?? sql`0`], [level]);
  if (!of?.distribution) return asMean(of?.type, quantile);
  // Only the points show whether a metric is a histogram: a group without buckets has numbers.
  return distributionQuantile(level, of.distribution, quantile);
}

function percentile(name: string, level: number, examples: AggregateFunction['examples']): AggregateFunction {
  return {
    kind: 'aggregate',
    name,
    doc: `The value below which ${Number((level * 100).toFixed(3))} % of all values lie.`,
    parameters: [{ name: 'of', type: 'quantity' }],
    returns: ([of]) => meanType(of?.type),
    nullable: true,
    weights: 'counted',
    histograms: true,
    sql: ([of], rows) => quantileOf(level, of, rows),
    examples,
  };
}

export const percentiles: readonly AggregateFunction[] = [
  percentile('p01', 0.01, [['p01(x)', [1, 2, 3], 1.02]]),
  percentile('p05', 0.05, [['p05(x)', [1, 2, 3], 1.1]]),
  percentile('p10', 0.1, [['p10(x)', [1, 2, 3], 1.2]]),
  percentile('p25', 0.25, [['p25(x)', [1, 2, 3], 1.5]]),
  percentile('p50', 0.5, [['p50(x)', [1, 2, 9], 2]]),
  percentile('median', 0.5, [['median(x)', [1, 2, 3, 4], 2.5]]),
  percentile('p75', 0.75, [['p75(x)', [1, 2, 3], 2.5]]),
  percentile('p90', 0.9, [['p90(x)', [0, 10], 9]]),
  percentile('p95', 0.95, [['p95(x)', [0, 100], 95]]),
  percentile('p99', 0.99, [['p99(x)', [0, 100], 99]]),
  percentile('p999', 0.999, [['p999(x)', [0, 1000], 999]]),
];

function levelOf(value: Value | undefined): number {
  const known = value?.constant;
  return known?.type === 'int' || known?.type === 'float' ? Number(known.value) : Number.NaN;
}

export const quantile: AggregateFunction = {
  kind: 'aggregate',
  name: 'quantile',
  doc: `The value below which a share of all values lies, interpolated: \`quantile(duration, 0.99)\` equals \`p99(duration)\`. Exact, except for weighted rows such as spans in groups of more than ${EXACT_VALUES} values: there to one part in 1024.`,
  parameters: [
    { name: 'of', type: 'quantity' },
    { name: 'level', type: 'number', literal: true },
  ],
  returns: ([of]) => meanType(of?.type),
  nullable: true,
  weights: 'counted',
  histograms: true,
  fault: ([, level]) => {
    const share = levelOf(level);
    return share >= 0 && share <= 1 ? undefined : 'The level of a quantile must be between 0 and 1, such as 0.99.';
  },
  sql: ([of, level], rows) => quantileOf(levelOf(level), of, rows),
  examples: [['quantile(x, 0.25)', [0, 1, 2, 3, 4], 1]],
};

/** Whether a function gives a quantile; those of a histogram come from its buckets. */
export function isQuantile(name: string): boolean {
  return name === quantile.name || percentiles.some((definition) => definition.name === name);
}
