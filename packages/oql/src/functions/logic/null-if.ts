import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const nullIf: ScalarFunction = {
  kind: 'scalar',
  name: 'null_if',
  doc: 'The first value, or null if it equals the second.',
  parameters: [
    { name: 'value', type: 'string' },
    { name: 'other', type: 'string' },
  ],
  returns: 'string',
  nullable: () => true,
  sql: ([value = NULL, other = NULL]) => sql`nullIf(${value}, ${other})`,
  examples: [
    ['null_if("-", "-")', null],
    ['null_if("a", "-")', 'a'],
  ],
};
