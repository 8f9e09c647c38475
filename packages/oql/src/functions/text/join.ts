import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const join: ScalarFunction = {
  kind: 'scalar',
  name: 'join',
  doc: 'The values of a list as one text, with a separator between them.',
  parameters: [
    { name: 'values', type: 'array' },
    { name: 'separator', type: 'string', literal: true },
  ],
  returns: 'string',
  sql: ([values = NULL, separator = NULL]) =>
    sql`arrayStringConcat(arrayMap(x -> toString(x), ${values}), ${separator})`,
  examples: [['join(split("a,b", ","), " and ")', 'a and b']],
};
