import { isQuantity } from '../../check/types.ts';
import type { Value } from '../../check/value.ts';
import { aggregate, NULL, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

function countOf(number: Value | undefined): number {
  return number?.constant?.type === 'int' ? Number(number.constant.value) : 0;
}

export const topValues: AggregateFunction = {
  kind: 'aggregate',
  name: 'top_values',
  doc: 'About the most frequent values, the most frequent first.',
  parameters: [
    { name: 'of', type: 'value' },
    { name: 'number', type: 'int', literal: true },
  ],
  returns: 'array',
  nullable: false,
  fault: ([, number]) =>
    countOf(number) >= 1 && countOf(number) <= 100 ? undefined : 'There are 1 to 100 top values.',
  sql: ([of, number]) => {
    const element = of && isQuantity(of.type) ? sql`toFloat64(${of.sql})` : (of?.sql ?? NULL);
    return aggregate('topK', [element], [countOf(number)]);
  },
  examples: [['top_values(x, 2)', [1, 2, 2, 3, 3, 3], [3, 2]]],
};
