import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile, validate } from './compile.ts';
import { complete } from './editor/complete.ts';
import { printString } from './syntax/literals.ts';
import { userText } from './testing/arbitrary.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import { NOW, WINDOW } from './testing/fixture.ts';

/** `OQL_RUNS=100000` for the long version. */
const COMPILED = Number(process.env.OQL_RUNS ?? 1_000);
const RUN = Number(process.env.OQL_ENGINE_RUNS ?? 60);

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const scope = { workspace: 7, project: 1, environment: 'production' };
const options = { scope, window: WINDOW, limit: 100, nowNs: NOW } as const;

const key = fc.oneof(fc.constantFrom('"checkout-v2"', '"other"'), userText.map(printString));
const field = fc.constantFrom(
  ...['variant', 'reason', 'version', 'unit', 'unit.kind', 'trace_id', 'span_id', 'service.name', 'environment'],
  ...['span.name', 'span.service.name', 'span.http.route', 'span.resource.region', 'span.status_message'],
);
const stage = fc.oneof(
  fc
    .tuple(field, fc.constantFrom('==', '!=', '<'), userText.map(printString))
    .map((parts) => `where ${parts.join(' ')}`),
  fc.constantFrom(
    ...['where tracked', 'where source == otlp', 'where span.status == error', 'where span.duration > 3ms'],
    ...['where trace_id in (spans | where status == error | fields trace_id)', 'sort -time', 'limit 20', 'dedup unit'],
    ...['join logs on trace_id as l', 'join left spans on trace_id as s', 'extend slow = span.duration > 1ms'],
    'join anti (logs | where severity >= error) on trace_id',
  ),
);
const end = fc.oneof(
  fc.constant(''),
  fc
    .tuple(field, fc.constantFrom('', ', bucket(5m)'))
    .map(([by, bucket]) => `stats n=count(), e=ratio(span.status == error) by ${by}${bucket}`),
  field.map((by) => `stats n=count(), p=p99(span.duration) by v=${by} | top 3 by n`),
  fc.constantFrom('stats n=count() by bucket(10m) | compare 20m', 'stats u=count_distinct(unit) by variant', 'count'),
);
const query = fc
  .tuple(key, fc.uniqueArray(stage, { maxLength: 3 }), end)
  .map(([flag, stages, last]) => [`flags ${flag}`, ...stages, ...(last === '' ? [] : [last])].join(' | '));

const SCANS = /FROM (?:flag_events|spans|logs)\b/g;
const SCOPED =
  /FROM (?:flag_events|spans|logs) WHERE workspace = {p\d+:UInt32} AND project = {p\d+:UInt32} AND environment = {p\d+:String} AND time >= /g;

test('filters every scan of flags by tenant and puts no user text into the statement', () => {
  let compiledQueries = 0;
  fc.assert(
    fc.property(query, (text) => {
      const compiled = compile(text, options);
      if (!compiled.ok) {
        expect(compiled.diagnostics.some((diagnostic) => diagnostic.severity === 'error')).toBe(true);
        return;
      }
      compiledQueries++;
      expect(compiled.sql.match(SCANS)?.length).toBeGreaterThanOrEqual(3);
      expect(compiled.sql.match(SCOPED)?.length).toBe(compiled.sql.match(SCANS)?.length);
      expect(compiled.sql).not.toMatch(/zq|qz|canary/);
    }),
    { numRuns: COMPILED },
  );
  expect(compiledQueries).toBeGreaterThan(COMPILED * 0.7);
}, 600_000);

test('shows no evaluations of another tenant', async () => {
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      if (!compile(text, options).ok) return;
      const { rows } = await engine.ask(text, options);
      if (!text.includes('canary')) expect(JSON.stringify(rows)).not.toContain('canary');
    }),
    { numRuns: RUN },
  );
}, 600_000);

test('reads spans only when the query uses them', () => {
  const sqlOf = (text: string) => {
    const compiled = compile(text, options);
    return compiled.ok ? compiled.sql : '';
  };
  expect(sqlOf('flags "a" | stats n=count() by variant')).not.toContain('FROM spans');
  expect(sqlOf('flags "a" | stats n=count(span.status == error) by variant')).toContain('FROM spans');
});

test.each([
  ['flags "a" | where tracked', 'span.attr["shop.country"]', 'span.attr.shop.country'],
  ['flags "a"', 'span.resource["region"]', 'span.resource.region'],
  ['flags "a"', 'span.attr["kv"]["x"]', 'span.attr.kv["x"]'],
  ['spans | join logs on trace_id as l', 'l.attr["user.id"]', 'l.attr.user.id'],
])('reads an attribute of the row beside by its quoted name: %s, %s', (source, quoted, plain) => {
  const of = (field: string) => {
    const compiled = compile(`${source} | stats n=count() by v=${field}`, options);
    return compiled.ok ? [compiled.sql, compiled.params] : compiled.diagnostics;
  };
  expect(of(quoted)).toEqual(of(plain));
});

test('reports mistakes and proposes valid fields', () => {
  const { diagnostics } = validate('flags "a" | where http.route == "/"');
  expect(diagnostics[0]).toMatchObject({ code: 'OQL-3003', severity: 'error' });
  expect(diagnostics[0]?.message).toContain('span.http.route');
  const labels = complete('flags "a" | where ', 18).proposals.map(({ label }) => label);
  const fields = ['variant', 'unit', 'tracked', 'trace_id', 'source', 'span.duration', 'span.service.name'];
  expect(labels).toEqual(expect.arrayContaining(fields));
  const membersOf = (text: string) => complete(text, text.length).proposals.map(({ label }) => label);
  expect(membersOf('flags "a" | where span.status == ')).toEqual(expect.arrayContaining(['error', 'ok']));
  expect(membersOf('flags "a" | where source == ')).toEqual(expect.arrayContaining(['server', 'otlp']));
});
