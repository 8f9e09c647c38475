import { call, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const concat: ScalarFunction = {
  kind: 'scalar',
  name: 'concat',
  doc: 'Values joined into one text.',
  parameters: [{ name: 'values', type: 'value', rest: true }],
  returns: 'string',
  sql: (values) =>
    call(
      'concat',
      values.map((value) => sql`toString(${value})`),
    ),
  examples: [['concat("a", 1, "b")', 'a1b']],
};
