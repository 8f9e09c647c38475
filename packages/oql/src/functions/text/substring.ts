import type { Value } from '../../check/value.ts';
import { NULL, type Sql, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

/** The engine counts from 1, and fails at 0. */
function start(text: Sql, from: Sql, value: Value | undefined): Sql {
  if (value?.constant?.type === 'int' && value.constant.value >= 0n) return sql`${from} + 1`;
  return sql`if(${from} >= 0, ${from} + 1, if(${from} < -toInt64(lengthUTF8(${text})), 1, ${from}))`;
}

export const substring: ScalarFunction = {
  kind: 'scalar',
  name: 'substring',
  doc: 'A part of a text, from a character (the first is 0, the last is -1), with a length or to the end.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'from', type: 'int' },
    { name: 'length', type: 'int', optional: true },
  ],
  returns: 'string',
  sql: ([text = NULL, from = NULL, length], [, first]) => {
    const begin = start(text, from, first);
    return length
      ? sql`substringUTF8(${text}, ${begin}, if(${length} < 0, 0, ${length}))`
      : sql`substringUTF8(${text}, ${begin})`;
  },
  examples: [
    ['substring("abcdef", 1, 3)', 'bcd'],
    ['substring("abc", 1)', 'bc'],
    ['substring("abc", -1)', 'c'],
    ['substring("abc", -5, 2)', 'ab'],
    ['substring("", -1)', ''],
    ['substring("abc", 1, -1)', ''],
  ],
};
