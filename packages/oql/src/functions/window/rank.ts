import type { Value } from '../../check/value.ts';
import { over } from '../../check/windows.ts';
import { type Sql, sql } from '../../sql/sql.ts';
import type { WindowFunction } from '../definition.ts';

export const rank: WindowFunction = {
  kind: 'window',
  name: 'rank',
  doc: 'The rank of a row by a value, 1 for the largest, among the rows of its bucket, or among all rows without buckets; with `within`, among the rows of its group. Without an argument, by the last `sort`. Equal values share a rank; nulls come last.',
  parameters: [{ name: 'by', type: 'value', optional: true }],
  returns: 'int',
  nullable: () => false,
  order: ([by]) => (by ? undefined : 'sorted'),
  sql: ([by], { peers, sorted, add }) => {
    const order = by ? rankOrder(by) : sorted;
    return add(over(sql`rank()`, { partition: peers, ...(order ? { order } : {}) }));
  },
  examples: [['rank(-x)', [3, 1, 2], [1, 1, 1]]],
};

/** Compares attributes as numbers with numbers, and as texts with texts. */
function rankOrder(by: Value): Sql {
  if (by.dynamic) return sql`${by.dynamic.read('float')} DESC, ${by.sql} DESC`;
  return sql`${by.sql} DESC`;
}
