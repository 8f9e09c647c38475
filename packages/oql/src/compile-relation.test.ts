import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CompiledRelation, compileRelation } from './compile-relation.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import { NOW, SCOPE, WINDOW } from './testing/fixture.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const options = { scope: SCOPE, window: WINDOW, nowNs: NOW };

function relation(text: string, prefix: string): CompiledRelation {
  const compiled = compileRelation(text, { ...options, prefix });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  return compiled;
}

const valuesOf = (...relations: readonly CompiledRelation[]) =>
  Object.fromEntries(
    relations.flatMap(({ params }) => Object.entries(params)).map(([name, { value }]) => [name, value]),
  );

test('joins two relations in one statement with fixed names, without limit or order', async () => {
  const total = relation('spans | stats n=count() by bucket(30m), service.name', 'a');
  const bad = relation(
    'spans | where status == error | stats n=count(), slowest=max(duration) by bucket(30m), service.name',
    'b',
  );
  expect(total).toMatchObject({
    time: { name: 't', of: 'time', type: 'timestamp' },
    keys: [{ name: 'k1', of: 'service.name', type: 'string' }],
    values: [{ name: 'v1', of: 'n', type: 'int' }],
  });
  expect(bad.values.map(({ of }) => of)).toEqual(['n', 'slowest']);
  expect(total.sql).not.toMatch(/LIMIT|ORDER BY/);
  const joined = `SELECT a.k1, toUnixTimestamp(a.t), a.v1 - b.v1, b.v2 FROM (${total.sql}) a JOIN (${bad.sql}) b ON a.t = b.t AND a.k1 = b.k1 ORDER BY a.t, a.k1`;
  const answer = await engine.ask(
    'spans | stats n=count(status != error), m=max(duration), e=count(status == error) by bucket(30m), service.name',
  );
  const expected = answer.rows
    .filter((row) => row[4] !== 0)
    .map((row) => [row[1], Date.parse(String(row[0])) / 1000, String(row[2])]);
  const rows = await engine.select(joined, valuesOf(total, bad));
  expect(rows.map((row) => row.slice(0, 3))).toEqual(expected);
  expect(rows.length).toBeGreaterThan(0);
});

test('gives columns the same store types for every kind of source', async () => {
  const query =
    'spans | stats i=count(), f=avg(order.id), d=p99(duration), b=any(true), s=max(name), t=max(time) by k=http.route, status, root';
  const { sql, ...rest } = relation(query, 'p');
  const [first] = await engine.select(`SELECT toTypeName(tuple(*)) FROM (${sql}) LIMIT 1`, valuesOf({ sql, ...rest }));
  expect(first?.[0]).toBe(
    "Tuple(Nullable(String), Nullable(String), Nullable(Bool), Nullable(Int64), Nullable(Float64), Nullable(Int64), Nullable(Bool), Nullable(String), Nullable(DateTime64(9, 'UTC')))",
  );
});

test('returns single rows, each with the rows that it represents', async () => {
  const rows = compileRelation('spans | sample 0.5 | extend failed=status == error | fields time, trace_id, failed', {
    ...options,
    prefix: 'p',
    rows: true,
  });
  if (!rows.ok) throw new Error(JSON.stringify(rows.diagnostics));
  expect(rows.values.map(({ name, of, type }) => [name, of, type])).toEqual([
    ['v1', 'time', 'timestamp'],
    ['v2', 'trace_id', 'string'],
    ['v3', 'failed', 'bool'],
  ]);
  const counted = await engine.ask('spans | sample 0.5 | stats n=count()');
  const [[total]] = (await engine.select(`SELECT toInt64(sum(w)) FROM (${rows.sql})`, valuesOf(rows))) as [[unknown]];
  expect(Number(total)).toBe(counted.rows[0]?.[0]);
});

test.each([
  ['logs | where severity == error', true],
  ['spans | where duration > 1ms', true],
  ['spans | where self_time > 1ms', false],
  ['spans | top 5 by duration', false],
])('%s is read apart where the unit is a text, unless that reads more than its rows: %s', async (text, isApart) => {
  const compiled = (mostlyText?: string) => {
    const rows = compileRelation(`${text} | extend at=time, unit=order.id, n=order.total | fields at, unit, n`, {
      ...{ ...options, prefix: 'p', rows: true, numbers: ['n'] },
      ...(mostlyText !== undefined && { mostlyText }),
    });
    if (!rows.ok) throw new Error(JSON.stringify(rows.diagnostics));
    return rows;
  };
  const [whole, inTwo] = [compiled(), compiled('unit')];
  expect([whole.sql.includes('UNION ALL'), inTwo.sql.includes('UNION ALL')]).toEqual([false, isApart]);
  expect(inTwo.values).toEqual(whole.values);
  const rowsOf = async (of: CompiledRelation) =>
    (await engine.select(`SELECT v2, v3 FROM (${of.sql}) ORDER BY ALL`, valuesOf(of))).map(String);
  expect(await rowsOf(inTwo)).toEqual(await rowsOf(whole));
});

test.each([
  ['spans | count by name', 'returns groups'],
  ['from -1h; spans', 'its own window'],
])('%s is rejected as a source of rows', (text, reason) => {
  const refused = compileRelation(text, { ...options, prefix: 'p', rows: true });
  expect(refused.ok ? '' : refused.diagnostics.map(({ message }) => message).join()).toContain(reason);
});

test.each([
  ['spans', 'End it with `stats'],
  ['logs | stats list(body) by service.name', 'is an array'],
  ['logs | stats n=cont()', 'There is no function'],
])('%s is rejected with a reason', (text, reason) => {
  const refused = compileRelation(text, { ...options, prefix: 'p' });
  expect(refused.ok ? '' : refused.diagnostics.map(({ message }) => message).join()).toContain(reason);
});

describe('a query that is grouped by time from outside', () => {
  const minute = 60_000_000_000n;
  const compiled = (text: string) => compileRelation(text, { ...options, prefix: 'p', bucketNs: 30n * minute });

  test.each([
    'spans | stats n=count(), slowest=max(duration) by service.name',
    'spans | count',
    'logs | stats bad=count(severity >= error), n=count() | extend value=bad * 1.0 / n | where n > 0',
  ])('%s returns what the same query with `bucket` returns', async (text) => {
    const grouped = compiled(text);
    if (!grouped.ok) throw new Error(JSON.stringify(grouped.diagnostics));
    const written = relation(
      text.replace(
        /(stats [^|]*?|count)( by [^|]*?)?( \||$)/,
        (_all, stage, by, rest) => `${stage}${by === undefined ? ' by' : `${by},`} bucket(30m)${rest}`,
      ),
      'q',
    );
    const columns = ['t', ...[...grouped.keys, ...grouped.values].map(({ name }) => name)].join(', ');
    const rows = (one: CompiledRelation) =>
      engine.select(`SELECT ${columns} FROM (${one.sql}) ORDER BY ALL`, valuesOf(one));
    const found = await rows(grouped);
    expect(found).toEqual(await rows(written));
    expect(found.length).toBeGreaterThan(1);
    expect(grouped).toMatchObject({ time: { name: 't' } });
  });

  test.each([
    ['spans | stats n=count() by bucket(1m)', 'groups by time'],
    ['from -1h; spans | stats n=count()', 'its own window'],
    ['spans | stats n=count() by name | top 5 by n', '`top` after the groups'],
    ['logs | limit 5', 'single rows'],
    ['logs | stats n=cont()', 'There is no function'],
    ['logs | stats n=count() | fields n', 'Keep all columns'],
  ])('%s is rejected with a reason', (text, reason) => {
    const refused = compiled(text);
    expect(refused.ok ? '' : refused.diagnostics.map(({ message }) => message).join()).toContain(reason);
  });
});
