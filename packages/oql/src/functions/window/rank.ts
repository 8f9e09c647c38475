import type { Value } from '../../check/value.ts';
import { over } from '../../check/windows.ts';
import { type Sql, sql } from '../../sql/sql.ts';
import type { WindowFunction } from '../definition.ts';

export const rank: WindowFunction = {
  kind: 'window',
  name: 'rank',
  doc: 'The rank of a row by a value, 1 for the largest, among the rows of its bucket, or among all rows without buckets. Equal values share a rank; nulls come last.',
  parameters: [{ name: 'by', type: 'value' }],
  returns: 'int',
  nullable: () => false,
  ordered: false,
  sql: ([by], { bucket, add }) => add(over(sql`rank()`, { partition: bucket ? [bucket] : [], order: rankOrder(by) })),
  examples: [['rank(-x)', [3, 1, 2], [1, 1, 1]]],
};

/** Compares attributes as numbers with numbers, and as texts with texts. */
function rankOrder(by: Value | undefined): Sql {
  if (by?.dynamic) return sql`${by.dynamic.read('float')} DESC, ${by.sql} DESC`;
  return sql`${by?.sql ?? sql`0`} DESC`;
}
