import { list, NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const json: ScalarFunction = {
  kind: 'scalar',
  name: 'json',
  doc: 'A field of JSON text, by its path; null if it has no such field.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'path', type: 'string', literal: true, rest: true },
  ],
  returns: 'string',
  nullable: () => true,
  sql: ([text = NULL, ...path]) => {
    const raw = sql`JSONExtractRaw(ifNull(${text}, ''), ${list(path)})`;
    return sql`multiIf(${raw} IN ('', 'null'), NULL, startsWith(${raw}, '"'), JSONExtractString(${raw}), ${raw})`;
  },
  examples: [
    ['json("{\\"a\\":{\\"b\\":7}}", "a", "b")', '7'],
    ['json("{}", "a")', null],
  ],
};
