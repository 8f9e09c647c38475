import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokens } from './tokens.ts';

const texts = (sql: string) => [...tokens(sql)].map(({ kind, text }) => `${kind} ${text}`);

test.each([
  ["SELECT a, 'b' FROM `c`", ['word SELECT', 'word a', 'symbol ,', 'string b', 'word FROM', 'quoted c']],
  ["'it''s' 'it\\'s' \"a\"\"b\" `a``b`", ["string it's", "string it's", 'quoted a"b', 'quoted a`b']],
  ['"fi\\x6ce" "\\n"', ['quoted file', 'quoted \n']],
  ['a--b\nc // d\n e # f\n#! g\n h #i', ['word a', 'word c', 'word e', 'word h', 'symbol #', 'word i']],
  ['a /* b /* c */ d */ e /**/ f', ['word a', 'word e', 'word f']],
  ["$$it's$$ $tag$ $$ $tag$ $x", ["string it's", 'string  $$ ', 'symbol $', 'word x']],
  ['“file” ‘text’', ['quoted file', 'string text']],
  ['1 1.5e-3 0xFF 1_000 1a', ['number 1', 'number 1.5e-3', 'number 0xFF', 'number 1_000', 'number 1a']],
  ["'open", ['string open']],
  ['/* open', []],
  ['{name:Type}', ['symbol {', 'word name', 'symbol :', 'word Type', 'symbol }']],
])('%s', (sql, expected) => {
  expect(texts(sql)).toEqual(expected);
});

test('terminates for any text, with tokens in order and without overlap', () => {
  const pieces = fc.constantFrom(
    "'",
    '"',
    '`',
    '\\',
    '--',
    '/*',
    '*/',
    '$',
    '$a$',
    '\n',
    ' ',
    '“',
    '”',
    'x',
    '1',
    ';',
    '#',
    '.',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 40 }), (parts) => {
      const sql = parts.join('');
      let last = 0;
      for (const { start, end } of tokens(sql)) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        last = end;
      }
      expect(last).toBeLessThanOrEqual(sql.length);
    }),
  );
});
