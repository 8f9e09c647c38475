import { over, UP_TO_HERE } from '../../check/windows.ts';
import { aggregate, sql } from '../../sql/sql.ts';
import type { WindowFunction } from '../definition.ts';

export const runningSum: WindowFunction = {
  kind: 'window',
  name: 'running_sum',
  doc: 'The sum of a value up to and with this row, in each series, by time; of sorted rows without a time, in their order. Nulls are passed over.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: ([of]) => of?.type ?? 'float',
  nullable: () => false,
  ordered: true,
  sql: ([of], { series, order, add }) =>
    add(
      over(aggregate('sum', [sql`ifNull(${of?.sql ?? sql`0`}, 0)`]), {
        partition: series,
        ...(order ? { order } : {}),
        rows: UP_TO_HERE,
      }),
    ),
  examples: [['running_sum(x)', [1, null, 4], [1, 1, 5]]],
};
