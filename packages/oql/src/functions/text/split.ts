import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const split: ScalarFunction = {
  kind: 'scalar',
  name: 'split',
  doc: 'The parts of a text between separators; an empty list for null.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'separator', type: 'string', literal: true },
  ],
  returns: 'array',
  nullable: () => false,
  sql: ([text = NULL, separator = NULL]) =>
    sql`if(isNull(${text}), [], splitByString(${separator}, ifNull(${text}, '')))`,
  examples: [
    ['split("a,b", ",")', ['a', 'b']],
    ['array_length(split(null_if("a", "a"), ","))', 0],
  ],
};
