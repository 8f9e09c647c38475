import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const formatBytes: ScalarFunction = {
  kind: 'scalar',
  name: 'format_bytes',
  doc: 'A number of bytes in readable form.',
  parameters: [{ name: 'of', type: ['bytes', 'number'] }],
  returns: 'string',
  sql: ([of = NULL]) => sql`formatReadableSize(${of})`,
  examples: [['format_bytes(1536)', '1.50 KiB']],
};
