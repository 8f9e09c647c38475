import { describe, expect, test } from 'vitest';
import { pooledRead } from './pooled-read.ts';
import { readStatementText } from './statement-text.ts';

function rewritten(
  sql: string,
  settings: Record<string, string> = { readonly: '1' },
  parameters: Record<string, string> = {},
) {
  return pooledRead({
    text: readStatementText(sql),
    format: 'TabSeparated',
    id: 'q-1',
    settings: new Map(Object.entries(settings)),
    parameters: new Map(Object.entries(parameters)),
  });
}

test('settings become part of the statement, parameters are set before it', () => {
  expect(
    rewritten('SELECT {a:UInt8} -- why\nFORMAT JSON', { readonly: '1', max_threads: "o'ne" }, { a: '1', b: "'" }),
  ).toEqual({
    parameters: "SET param_a='1', param_b='\\''; ",
    statement: "SELECT {a:UInt8} -- why\nFORMAT JSON\nSETTINGS log_comment='q-1', readonly='1', max_threads='o\\'ne'",
  });
  expect(rewritten('SELECT 1 /* no format */ -- end')?.statement).toBe(
    "SELECT 1\nFORMAT TabSeparated\nSETTINGS log_comment='q-1', readonly='1'",
  );
});

describe('needs a new connection:', () => {
  test.each([
    ['a statement without readonly', 'SELECT 1', {}],
    ['readonly=2, which lets settings change', 'SELECT 1', { readonly: '2' }],
    ['anything but a SELECT', 'DROP TABLE t', undefined],
    ['WITH before an INSERT', 'WITH 1 AS a INSERT INTO t SELECT a', undefined],
    ['SETTINGS of its own', 'SELECT 1 SETTINGS readonly=0', undefined],
    ['SETTINGS in a subquery', 'SELECT * FROM (SELECT 1 SETTINGS readonly=0)', undefined],
    ['several statements', 'SELECT 1; SET max_threads=1', undefined],
    ['a FORMAT in the middle', 'SELECT a FORMAT b FROM t', undefined],
    ['an unclosed comment', 'SELECT 1 /* ', undefined],
    ['an unclosed string', "SELECT 'a", undefined],
    ['an unclosed identifier', 'SELECT 1 AS `a', undefined],
    ['an unclosed heredoc', 'SELECT $a$ b', undefined],
    ['an unclosed typographic quote', 'SELECT ‘a', undefined],
    ['a parameter that is not bound', 'SELECT {a:UInt8}', undefined],
    ['one behind a comment', 'SELECT {/**/a/**/:UInt8}', undefined],
    ['one with a quoted name', 'SELECT {`a`:UInt8}', undefined],
    ['a setting of the parser', 'SELECT 1', { readonly: '1', max_query_size: '1' }],
    ['a setting with an odd name', 'SELECT 1', { readonly: '1', 'a=1, b': '1' }],
    ['a statement of nearly 256 KiB', `SELECT '${'x'.repeat(250_000)}'`, undefined],
  ])('%s', (_name, sql, settings) => {
    expect(rewritten(sql, settings)).toBeUndefined();
  });
});
