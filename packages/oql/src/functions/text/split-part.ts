import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const splitPart: ScalarFunction = {
  kind: 'scalar',
  name: 'split_part',
  doc: 'One part of a text between separators: the first is 0, the last is -1; null if there is no such part.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'separator', type: 'string', literal: true },
    { name: 'index', type: 'int', literal: true },
  ],
  returns: 'string',
  nullable: () => true,
  sql: ([text = NULL, separator = NULL, index = NULL]) => {
    const parts = sql`splitByString(${separator}, ifNull(${text}, ''))`;
    const at = sql`if(${index} < 0, ${index}, ${index} + 1)`;
    return sql`if(isNull(${text}) OR length(${parts}) < abs(${at}), NULL, arrayElement(${parts}, ${at}))`;
  },
  examples: [
    ['split_part("a/b/c", "/", 1)', 'b'],
    ['split_part("a/b/c", "/", -1)', 'c'],
    ['split_part("a", "/", 1)', null],
  ],
};
