import { expect, test } from 'vitest';
import { parseInsert } from './insert-statement.ts';

const parsed = (sql: string) => {
  const insert = parseInsert(sql);
  if (!insert) return undefined;
  const { dataStart, ...rest } = insert;
  return { ...rest, data: sql.slice(dataStart) };
};
const plain = { target: 't', columns: { kind: 'all' }, settings: '', format: 'RowBinary', data: '' };

test.each([
  ['INSERT INTO t FORMAT RowBinary', plain],
  ['insert into table t format RowBinary', plain],
  ['/* why */ INSERT INTO t -- so\n FORMAT RowBinary\n', plain],
  ['INSERT INTO `my db`."t" FORMAT RowBinary', { ...plain, target: '`my db`."t"' }],
  ['INSERT INTO t (a, `b c`, "d") FORMAT RowBinary', { ...plain, columns: { kind: 'only', names: ['a', 'b c', 'd'] } }],
  ['INSERT INTO t (n.a, b) FORMAT RowBinary', { ...plain, columns: { kind: 'only', names: ['n.a', 'b'] } }],
  ['INSERT INTO t (* EXCEPT (a, b)) FORMAT RowBinary', { ...plain, columns: { kind: 'except', names: ['a', 'b'] } }],
  ['INSERT INTO t (* EXCEPT a) FORMAT RowBinary', { ...plain, columns: { kind: 'except', names: ['a'] } }],
  [
    "INSERT INTO t (a) SETTINGS x = 'FORMAT y', z = 1 FORMAT CSV\n1,2\n",
    {
      ...plain,
      columns: { kind: 'only', names: ['a'] },
      settings: "SETTINGS x = 'FORMAT y', z = 1",
      format: 'CSV',
      data: '1,2\n',
    },
  ],
  ['INSERT INTO t FORMAT JSONEachRow {"a":1}', { ...plain, format: 'JSONEachRow', data: '{"a":1}' }],
  ['INSERT INTO t FORMAT TSV\n\n\n', { ...plain, format: 'TSV', data: '\n\n' }],
])('%s', (sql, expected) => {
  expect(parsed(sql)).toEqual(expected);
});

test.each([
  'SELECT 1 FORMAT RowBinary',
  'INSERT INTO t SELECT 1',
  'INSERT INTO t (a) VALUES (1)',
  'INSERT INTO t SETTINGS a = 1 SELECT 1 FORMAT RowBinary',
  'INSERT INTO t SETTINGS a = 1 VALUES (1)',
  'INSERT',
  '',
])('is not an insert of formatted rows: %s', (sql) => {
  expect(parsed(sql)).toBeUndefined();
});

test.each(['INSERT INTO FUNCTION file(1) FORMAT CSV', 'INSERT INTO t (a + 1) FORMAT CSV', 'INSERT INTO t (a'])(
  'refused: %s',
  (sql) => {
    expect(() => parseInsert(sql)).toThrow(/Code: 48/);
  },
);
