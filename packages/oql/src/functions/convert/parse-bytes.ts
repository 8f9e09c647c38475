import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const parseBytes: ScalarFunction = {
  kind: 'scalar',
  name: 'parse_bytes',
  doc: 'Text such as `1.5 KiB` or `5MB` as a size in bytes; null if it is not a size.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'bytes',
  nullable: () => true,
  sql: ([text = NULL]) => sql`toInt64(parseReadableSizeOrNull(replaceRegexpOne(${text}, '^([0-9.]+) *k?', '\\\\0')))`,
  examples: [
    ['parse_bytes("1.5 KiB")', 1536],
    ['parse_bytes("5 MB")', 5_000_000],
    ['parse_bytes("much")', null],
  ],
};
