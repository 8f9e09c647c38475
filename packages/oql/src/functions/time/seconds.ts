import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const seconds: ScalarFunction = {
  kind: 'scalar',
  name: 'seconds',
  doc: 'A duration as a number of seconds.',
  parameters: [{ name: 'of', type: 'duration' }],
  returns: 'float',
  sql: ([of = NULL]) => sql`(${of} / 1e9)`,
  examples: [['seconds(1500ms)', 1.5]],
};
