import { carried } from '../../check/tagged.ts';
import type { Value } from '../../check/value.ts';
import { aggregate, NULL, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

function countOf(number: Value | undefined): number {
  return number?.constant?.type === 'int' ? Number(number.constant.value) : 0;
}

export const topValues: AggregateFunction = {
  kind: 'aggregate',
  name: 'top_values',
  doc: 'The approximate most frequent values, most frequent first.',
  parameters: [
    { name: 'of', type: 'value' },
    { name: 'number', type: 'int', literal: true },
  ],
  returns: 'array',
  nullable: false,
  weights: 'counted',
  fault: ([, number]) =>
    countOf(number) >= 1 && countOf(number) <= 100 ? undefined : 'The number of top values must be from 1 to 100.',
  elements: ([of]) => of?.type,
  sql: ([of, number], { weight }) => {
    const value = of ? carried(of) : NULL;
    if (!weight) return aggregate('topK', [value], [countOf(number)]);
    // Whole numbers only, hence the 256ths.
    return aggregate('topKWeighted', [value, sql`toUInt64(round(${weight} * 256))`], [countOf(number)]);
  },
  examples: [['top_values(x, 2)', [1, 2, 2, 3, 3, 3], [3, 2]]],
};
