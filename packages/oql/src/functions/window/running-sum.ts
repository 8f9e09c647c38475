import { exactSum, summands } from '../../check/integers.ts';
import { checkedWhole, wide } from '../../check/whole.ts';
import { over, UP_TO_HERE } from '../../check/windows.ts';
import { aggregate, sql } from '../../sql/sql.ts';
import type { WindowFunction } from '../definition.ts';

export const runningSum: WindowFunction = {
  kind: 'window',
  name: 'running_sum',
  doc: 'The sum of a value up to and including this row, in each series, by time; for sorted rows without a time, in their order. Nulls are skipped.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: ([of]) => of?.type ?? 'float',
  nullable: () => false,
  order: () => 'order',
  sql: ([of], { series, order, add }) => {
    const value = sql`ifNull(${of?.sql ?? sql`0`}, 0)`;
    const extent = { partition: series, ...(order ? { order } : {}), rows: UP_TO_HERE };
    if (of?.type === 'float') return add(over(aggregate('sum', [value]), extent));
    return checkedWhole(add(over(aggregate('sum', [wide(value)]), extent)), false);
  },
  exact: ([of], { series, order, add }) => {
    const added = summands(of);
    const extent = { partition: series, ...(order ? { order } : {}), rows: UP_TO_HERE };
    return added && exactSum(added, (fn, value) => add(over(aggregate(fn, [value]), extent)));
  },
  examples: [['running_sum(x)', [1, null, 4], [1, 1, 5]]],
};
