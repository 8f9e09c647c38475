import { roundedWhole } from '../../check/whole.ts';
import { aggregate, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';
import { meanType } from './avg.ts';
import { weightedSquares } from './weighted-moments.ts';

/** Null for a single value, which has no spread. A value counts as often as its weight. */
function ofSample(fn: 'stddevSampStableOrNull' | 'varSampStableOrNull', of: Sql, weight: Sql | undefined): Sql {
  if (!weight) return sql`if(${aggregate('count', [of])} < 2, NULL, ${aggregate(fn, [of])})`;
  const squares = weightedSquares(sql`ifNull(toFloat64(${of}), 0.)`, weight, sql`isNotNull(${of})`);
  const variance = sql`arrayMap(q -> if(q.1 > 1, q.2 / (q.1 - 1), NULL), [${squares}])[1]`;
  return fn === 'varSampStableOrNull' ? variance : sql`sqrt(${variance})`;
}

export const stddev: AggregateFunction = {
  kind: 'aggregate',
  name: 'stddev',
  doc: 'The sample standard deviation (n - 1); `stddev_pop` is that of a whole population.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: ([of]) => meanType(of?.type),
  nullable: true,
  weights: 'counted',
  sql: ([of], { weight }) => {
    const deviation = ofSample('stddevSampStableOrNull', of?.sql ?? sql`0`, weight);
    // Beneath the null of a single value is a NaN, which is not converted.
    return meanType(of?.type) === 'float' ? deviation : roundedWhole(deviation, true);
  },
  examples: [
    ['stddev(x)', [1, 2, 3], 1],
    ['stddev(x)', [1], null],
  ],
};

export const variance: AggregateFunction = {
  kind: 'aggregate',
  name: 'variance',
  doc: 'The sample variance (n - 1); `variance_pop` is that of a whole population.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  nullable: true,
  weights: 'counted',
  sql: ([of], { weight }) => ofSample('varSampStableOrNull', of?.sql ?? sql`0`, weight),
  examples: [
    ['variance(x)', [1, 2, 3, 4, 5], 2.5],
    ['variance(x)', [1], null],
  ],
};

/** 0 for a single value. A value counts as often as its weight. */
function ofPopulation(fn: 'stddevPopStableOrNull' | 'varPopStableOrNull', of: Sql, weight: Sql | undefined): Sql {
  if (!weight) return aggregate(fn, [of]);
  const squares = weightedSquares(sql`ifNull(toFloat64(${of}), 0.)`, weight, sql`isNotNull(${of})`);
  const variance = sql`arrayMap(q -> if(q.1 > 0, q.2 / q.1, NULL), [${squares}])[1]`;
  return fn === 'varPopStableOrNull' ? variance : sql`sqrt(${variance})`;
}

export const stddevPopulation: AggregateFunction = {
  kind: 'aggregate',
  name: 'stddev_pop',
  doc: 'The population standard deviation (n), as PromQL computes it; `stddev` is that of a sample.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: ([of]) => meanType(of?.type),
  nullable: true,
  weights: 'counted',
  sql: ([of], { weight }) => {
    const deviation = ofPopulation('stddevPopStableOrNull', of?.sql ?? sql`0`, weight);
    return meanType(of?.type) === 'float' ? deviation : roundedWhole(deviation, true);
  },
  examples: [
    ['stddev_pop(x)', [2, 4, 4, 4, 5, 5, 7, 9], 2],
    ['stddev_pop(x)', [1], 0],
    ['stddev_pop(x)', [null], null],
  ],
};

export const variancePopulation: AggregateFunction = {
  kind: 'aggregate',
  name: 'variance_pop',
  doc: 'The population variance (n), as PromQL computes it; `variance` is that of a sample.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  nullable: true,
  weights: 'counted',
  sql: ([of], { weight }) => ofPopulation('varPopStableOrNull', of?.sql ?? sql`0`, weight),
  examples: [
    ['variance_pop(x)', [1, 2, 3, 4, 5], 2],
    ['variance_pop(x)', [1], 0],
  ],
};
