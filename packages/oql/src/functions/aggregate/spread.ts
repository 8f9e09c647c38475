import { roundedWhole } from '../../check/whole.ts';
import { aggregate, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';
import { meanType } from './avg.ts';

/** Null for a single value, which has no spread. */
function ofSample(fn: 'stddevSampStableOrNull' | 'varSampStableOrNull', of: Sql): Sql {
  return sql`if(${aggregate('count', [of])} < 2, NULL, ${aggregate(fn, [of])})`;
}

export const stddev: AggregateFunction = {
  kind: 'aggregate',
  name: 'stddev',
  doc: 'The sample standard deviation (n - 1). It ignores the weights of sampled spans.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: ([of]) => meanType(of?.type),
  nullable: true,
  sql: ([of]) => {
    const deviation = ofSample('stddevSampStableOrNull', of?.sql ?? sql`0`);
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
  doc: 'The sample variance (n - 1). It ignores the weights of sampled spans.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  nullable: true,
  sql: ([of]) => ofSample('varSampStableOrNull', of?.sql ?? sql`0`),
  examples: [
    ['variance(x)', [1, 2, 3, 4, 5], 2.5],
    ['variance(x)', [1], null],
  ],
};
