import { checkedWhole, wide } from '../../check/whole.ts';
import { sql } from '../../sql/sql.ts';
import type { WindowFunction } from '../definition.ts';
import { valueBefore } from './lag.ts';

export const difference: WindowFunction = {
  kind: 'window',
  name: 'difference',
  doc: 'The value minus that of the previous bucket; null if the series has no such bucket. For rows without buckets, minus that of the previous row. For times, the time between them.',
  parameters: [{ name: 'of', type: ['quantity', 'timestamp'] }],
  returns: ([of]) => (of?.type === 'timestamp' ? 'duration' : (of?.type ?? 'float')),
  nullable: () => true,
  order: () => 'order',
  sql: ([of], beside) => {
    const value = of?.sql ?? sql`NULL`;
    if (of?.type === 'timestamp') {
      const moment = sql`toUnixTimestamp64Nano(toDateTime64(${value}, 9, 'UTC'))`;
      return checkedWhole(sql`(${wide(moment)} - ${wide(valueBefore(moment, 1n, beside))})`, true);
    }
    if (of?.type === 'float') return sql`(${value} - ${valueBefore(value, 1n, beside)})`;
    return checkedWhole(sql`(${wide(value)} - ${wide(valueBefore(value, 1n, beside))})`, true);
  },
  examples: [['difference(x)', [1, 5, 2], [null, 4, -3]]],
};
