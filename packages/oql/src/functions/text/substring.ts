import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const substring: ScalarFunction = {
  kind: 'scalar',
  name: 'substring',
  doc: 'A part of a text, from a character (the first is 0), with a length or to the end.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'from', type: 'int' },
    { name: 'length', type: 'int', optional: true },
  ],
  returns: 'string',
  sql: ([text = NULL, from = NULL, length]) =>
    length ? sql`substringUTF8(${text}, ${from} + 1, ${length})` : sql`substringUTF8(${text}, ${from} + 1)`,
  examples: [
    ['substring("abcdef", 1, 3)', 'bcd'],
    ['substring("abc", 1)', 'bc'],
  ],
};
