import { elementTexts } from '../../check/elements.ts';
import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const join: ScalarFunction = {
  kind: 'scalar',
  name: 'join',
  doc: 'The values of a list joined into one text with a separator.',
  parameters: [
    { name: 'values', type: 'array' },
    { name: 'separator', type: 'string', literal: true },
  ],
  returns: 'string',
  sql: ([, separator = NULL], [values]) =>
    sql`arrayStringConcat(${values ? elementTexts(values) : NULL}, ${separator})`,
  examples: [['join(split("a,b", ","), " and ")', 'a and b']],
};
