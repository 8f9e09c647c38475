import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { LIMITS } from './syntax/guard.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import { FIXTURE_TABLES, NOW, SCOPE, WINDOW } from './testing/fixture.ts';
import { NEIGHBOURS, rows, START, TENANT } from './testing/world.ts';

interface Small {
  readonly begin: number;
  readonly length: number;
  /** The number of a span, null, or the number of a missing span. */
  readonly parent: number | null;
  /** Sent once more, with another time. */
  readonly again: boolean;
}

const tree = (parents: fc.Arbitrary<number>, most: number) =>
  fc.array(
    fc.record({
      begin: fc.integer({ min: 0, max: 30 }),
      length: fc.integer({ min: 0, max: 25 }),
      parent: fc.option(parents, { nil: null, freq: 8 }),
      again: fc.boolean().map((one) => one && most < 20),
    }),
    { minLength: 1, maxLength: most },
  );
/** Flat and deep trees, with parents that come later, missing parents, and cycles. */
const trees: readonly (readonly Small[])[] = [
  ...fc.sample(tree(fc.nat(2), 12), { seed: 20_261_122, numRuns: 150 }),
  ...fc.sample(tree(fc.nat(12), 12), { seed: 20_261_123, numRuns: 150 }),
  ...fc.sample(tree(fc.nat(60), 60), { seed: 20_261_124, numRuns: 60 }),
  // Each below the one before, and each ends a little later than it.
  Array.from({ length: 40 }, (_, i) => ({
    begin: i % 7,
    length: 20 + i,
    parent: i === 0 ? null : i - 1,
    again: false,
  })),
];

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
const at = START + 60_000_000_000n;

interface Sent {
  readonly trace: number;
  readonly id: number;
  readonly parent: number | null;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly name?: string;
  readonly service?: string;
}

const small: readonly Sent[] = trees.flatMap((spans, i) =>
  spans.flatMap(({ begin, length, parent, again }, number) => {
    const startNs = at + BigInt(begin);
    const one: Sent = { trace: i + 1, id: number, parent, startNs, endNs: startNs + BigInt(length) };
    return again ? [one, { ...one, startNs: startNs + 1n, endNs: one.endNs + 1n }] : [one];
  }),
);
const HOUR = 3_600_000_000_000n;
const known = (id: number, name: string, parent: number | null, startNs: bigint, endNs: bigint): Sent => ({
  ...{ trace: 5001, id, name, parent, startNs, endNs },
  service: name === 'database' ? 'postgres' : 'shop',
});
/** A trace that begins five hours before the window and ends five hours after it; one of its spans is inside. */
const long: readonly Sent[] = [
  known(0, 'job', null, WINDOW.fromNs - 5n * HOUR, WINDOW.toNs + 5n * HOUR),
  known(1, 'before', 0, WINDOW.fromNs - 4n * HOUR, WINDOW.fromNs - 2n * HOUR),
  known(2, 'step', 0, WINDOW.fromNs + 10n, WINDOW.toNs + 4n * HOUR),
  known(3, 'database', 2, WINDOW.toNs + 2n * HOUR, WINDOW.toNs + 3n * HOUR),
];

function row({ trace, id, parent, startNs, endNs, name = 'small', service = 'shop' }: Sent, tenant = TENANT) {
  return {
    ...tenant,
    time: startNs,
    duration: Number(endNs - startNs),
    trace_id: hex(trace, 32),
    span_id: hex(id + 1, 16),
    parent_span_id: parent === null ? '' : hex(parent + 1, 16),
    ...{ service, name, kind: 'internal', status: 'unset', weight: 1 },
    ...{ resource: {}, strings: {}, ints: {}, floats: {}, bools: {}, jsons: {}, events: [], link: ['', ''] },
  };
}

/** Spans of another tenant with the same ids: if read, they would be the whole path. */
const foreign = NEIGHBOURS.flatMap((tenant) =>
  trees.map((_, i) => row({ trace: i + 1, id: 99, parent: 0, startNs: at, endNs: at + 60n }, tenant)),
);

let engine: Engine;
/** (trace, span) → nanoseconds, as on the trace page. */
const expected = new Map<string, number>();
beforeAll(async () => {
  const sent = [...[...small, ...long].map((span) => row(span)), ...foreign];
  engine = await startEngine([{ insert: FIXTURE_TABLES[0]?.insert ?? '', rows: rows(sent) }]);
  // Imports the server's definition, since a copy could diverge.
  const { criticalPath } = await import('../../server/src/features/telemetry/traces/rules.ts');
  const all = [...small, ...long];
  for (const trace of new Set(all.map((span) => span.trace))) {
    const spans = all.filter((span) => span.trace === trace);
    const times = spans.map(({ id, parent, startNs, endNs }) => ({
      ...{ id: hex(id + 1, 16), parentId: parent === null ? null : hex(parent + 1, 16), startNs, endNs },
    }));
    for (const { id, ns } of criticalPath(times)) expected.set(`${hex(trace, 32)} ${id}`, Number(ns));
  }
});
afterAll(() => engine.stop());

const rowsOf = (query: string) => engine.ask(query).then((answer) => answer.rows);

test('computes the same critical path time as the trace page for every trace', async () => {
  const found = await rowsOf(
    'spans | where name == "small" | fields trace_id, span_id, critical_path, on_critical_path',
  );
  const wanted = small.map(({ trace, id }) => {
    const [traceId, spanId] = [hex(trace, 32), hex(id + 1, 16)];
    const ns = expected.get(`${traceId} ${spanId}`);
    return [traceId, spanId, ns ?? 0, ns !== undefined];
  });
  const sorted = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).sort();
  expect(wanted.filter(([, , , isOn]) => isOn).length).toBeGreaterThan(500);
  expect(sorted(found)).toEqual(sorted(wanted));
});

test('computes the path from all spans of the trace when a condition excludes some', async () => {
  const found = await rowsOf(`spans | where span_id == "${hex(2, 16)}" | stats sum(critical_path)`);
  const times = small
    .filter(({ id }) => id === 1)
    .map(({ trace, id }) => expected.get(`${hex(trace, 32)} ${hex(id + 1, 16)}`));
  expect(found).toEqual([[times.reduce<number>((sum, ns) => sum + (ns ?? 0), 0)]]);
});

const hours = (count: number) => count * Number(HOUR);
test.each([
  // The root began long before the window and ended long after it; so did a child of the span.
  ['spans | where name == "step" | fields critical_path', [[hours(4) + Number(WINDOW.toNs - WINDOW.fromNs) - 10]]],
  ['spans | where name == "step" | fields self_time', [[hours(4) + Number(WINDOW.toNs - WINDOW.fromNs) - 10]]],
] as const)('%s', async (query, answer) => {
  // An hour of these is the database's.
  expect(await rowsOf(query)).toEqual(answer.map(([ns]) => [ns - hours(1)]));
});

test.each([
  ['spans | where name == "step" | stats c=sum(critical_path) by service.name | top 5 by c', [['shop', hours(4) - 10]]],
  ['spans | where critical_path > 1h | fields name, on_critical_path', [['step', true]]],
  ['traces | where max(critical_path) > 1h | count', [[1]]],
  ['spans | where on_critical_path and critical_path == 0ns and name != "small" | count', [[0]]],
  ['spans | where name == "step" | extend other = duration - critical_path | fields other', [[hours(1)]]],
  ['spans | where name == "step" and self_time == critical_path | count', [[1]]],
  ['spans | match a{on_critical_path and name == "step"} > b{true} | count', [[0]]],
] as const)('%s', async (query, answer) => {
  expect(await rowsOf(query)).toEqual(answer);
});

test('returns an error for a trace with more spans than the limit', async () => {
  const compiled = compile('spans | where name == "step" | fields critical_path', {
    ...{ scope: SCOPE, window: WINDOW, limit: 10, nowNs: NOW },
  });
  if (!compiled.ok) throw new Error('does not compile');
  const params = Object.fromEntries(Object.entries(compiled.params).map(([name, { value }]) => [name, value]));
  const stricter = compiled.sql.replace(`> ${LIMITS.spansOfTrace}`, '> 3');
  expect(stricter).not.toBe(compiled.sql);
  await expect(engine.select(stricter, params)).rejects.toThrow(
    'a trace has more than 50000 spans, too many to find its critical path',
  );
});

test('looks up nothing when the field is named but not read', () => {
  const looksUp = (query: string) => {
    const compiled = compile(query, { scope: SCOPE, window: WINDOW, limit: 10, nowNs: NOW });
    return compiled.ok ? compiled.sql.includes('FROM trace_index') : compiled.diagnostics;
  };
  expect(looksUp('spans | fields name, critical_path')).toBe(true);
  expect(looksUp('spans | fields name, critical_path | omit critical_path')).toBe(false);
  expect(looksUp('spans | where duration > 1ms')).toBe(false);
});
