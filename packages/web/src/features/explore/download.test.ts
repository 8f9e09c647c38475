import { expect, it } from 'vitest';
import { rowsOf } from './download.ts';

it('counts the rows of a file with quoted line breaks', () => {
  expect(rowsOf('a,b\r\n1,2\r\n', 'csv')).toBe(1);
  expect(rowsOf('a\r\n"two\r\nlines, ""quoted"""\r\nx\r\n', 'csv')).toBe(2);
  expect(rowsOf('a\r\n', 'csv')).toBe(0);
  expect(rowsOf('{"a":"\\"\\n"}\n{"a":1}\n', 'ndjson')).toBe(2);
  expect(rowsOf('', 'ndjson')).toBe(0);
});
