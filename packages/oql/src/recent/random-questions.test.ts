import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Compiled, type CompileOptions, compile } from '../index.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { LABEL_TEXTS, LABELS, recentTables, recentWorlds, START_MS } from '../testing/recent-world.ts';
import { TENANT } from '../testing/world.ts';
import { answerRecent } from './index.ts';

/**
 * Random questions about random points, answered by the engine and from memory. `RECENT_SEED=7 RECENT_RUNS=2000` asks other and more.
 */
const SEED = Number(process.env.RECENT_SEED ?? 20_261_123);
const RUNS = Number(process.env.RECENT_RUNS ?? 120);

const worlds = recentWorlds(SEED, 80);
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(recentTables(worlds));
});
afterAll(() => engine.stop());

const path = fc
  .tuple(fc.constantFrom('', '', '', 'attr.', 'resource.'), fc.constantFrom(...LABELS))
  .map((parts) => parts.join(''));
const text = fc
  .oneof({ weight: 3, arbitrary: fc.constantFrom('x', 'y') }, fc.constantFrom(...LABEL_TEXTS))
  .map((one) => JSON.stringify(one));
const comparison = fc.oneof(
  fc.tuple(path, fc.constantFrom('==', '==', '!='), text).map((parts) => parts.join(' ')),
  fc
    .tuple(fc.constantFrom('==', '!='), fc.constantFrom('shop', 'cart', '', 'staging'))
    .map(([op, of]) => `${of === 'staging' ? 'environment' : 'service.name'} ${op} "${of}"`),
  fc
    .tuple(path, fc.constantFrom('in', 'not in'), fc.array(text, { minLength: 1, maxLength: 3 }))
    .map(([of, op, list]) => `${of} ${op} (${list.join(', ')})`),
  fc.constant('true'),
);
const condition = fc.oneof(
  { weight: 3, arbitrary: comparison },
  fc.tuple(comparison, comparison).map((parts) => parts.join(' and ')),
);
const where = fc
  .oneof(fc.constant([]), fc.array(condition, { maxLength: 2 }))
  .map((all) => all.map((one) => ` | where ${one}`).join(''));
const over = fc.constantFrom('', '', ' 5m', ' 1m', ' 90s', ' 7s', ' 1h', ' 1500ms');
const range = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom('promrate', 'promincrease'), over) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom('rate', 'increase', 'delta'), over) },
  { weight: 2, arbitrary: fc.constant([]) },
);
const names = ['sum', 'avg', 'min', 'max', 'count'] as const;
const stage = fc.oneof(
  fc.constantFrom(...names),
  fc
    .uniqueArray(fc.constantFrom(...names), { minLength: 1 })
    .map((all) => `stats ${all.map((one, i) => `x${i}=${one}(${one === 'count' ? '' : 'value'})`).join(', ')}`),
);
const bucket = fc.constantFrom(
  'bucket(1m)',
  'bucket(1m)',
  'bucket(5m)',
  'bucket(auto)',
  'bucket(7s)',
  'bucket(90s)',
  'bucket(500ms)',
  'bucket(1h)',
);
const keys = fc
  .tuple(
    fc.uniqueArray(fc.oneof(path, fc.constantFrom('service.name', 'environment')), { maxLength: 2 }),
    fc.option(bucket),
    fc.boolean(),
  )
  .map(([labels, time, isFirst]) => (time === null ? labels : isFirst ? [time, ...labels] : [...labels, time]));

const query = fc
  .tuple(where, range, stage, keys)
  .map(
    ([conditions, fn, aggregate, by]) =>
      `${conditions}${fn.length > 0 ? ` | ${fn.join('')}` : ''} | ${aggregate}${by.length > 0 ? ` by ${by.join(', ')}` : ''}`,
  );

const window = fc
  .record({
    from: fc.integer({ min: -1_500, max: 1_500 }),
    length: fc.integer({ min: 1, max: 3_600 }),
    partMs: fc.constantFrom(0, 0, 1, 500),
  })
  .map(({ from, length, partMs }) => ({
    fromNs: BigInt(START_MS + from * 1_000 + partMs) * 1_000_000n,
    toNs: BigInt(START_MS + (from + length) * 1_000) * 1_000_000n + (length > 1 ? 0n : 1_000_000_000n),
  }));
const scope = fc.constantFrom(
  {},
  {},
  { project: 1 },
  { project: 1, environment: 'production' },
  { environment: 'staging' },
);

type Row = readonly unknown[];

/** Rows whose labels are ordered alike come in any order: a number, and the same number as text. */
function inOneOrder(rows: readonly Row[], { keys, columns }: Compiled): readonly Row[] {
  const orderOf = (row: Row) =>
    JSON.stringify(
      columns.flatMap(({ name, type }, i) => {
        const value = row[i];
        if (!keys?.includes(name)) return [];
        return [type === 'any' && typeof value === 'string' ? value.slice(1) : value];
      }),
    );
  const places = new Map<string, number>();
  for (const [i, row] of rows.entries()) if (!places.has(orderOf(row))) places.set(orderOf(row), i);
  const placeOf = (row: Row) => places.get(orderOf(row)) ?? 0;
  return [...rows].sort((a, b) => placeOf(a) - placeOf(b) || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** The engine adds numbers in several lanes, so sums differ in their last digits. */
function isAlike(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
  return a === b || (a === '-nan' && b === 'nan');
}

test(`answers as the engine does (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  const told = { answered: 0, rows: 0, left: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...worlds),
      query,
      window,
      scope,
      fc.boolean(),
      // How far the window ends in the future.
      fc.constantFrom(0, 0, 30, 100, 400),
      async (world, stages, within, narrowed, isKnown, aheadS) => {
        const text = `metric ${world.metric}${stages}`;
        const kinds = [...new Set(world.series.map(({ kind }) => kind))];
        const metrics = kinds.map((kind) => ({
          name: world.metric,
          kind,
          temporality: kind === 'sum' ? 'cumulative' : 'unspecified',
        }));
        const options = {
          scope: { workspace: TENANT.workspace, ...narrowed },
          window: within,
          limit: 40_000,
          nowNs:
            within.toNs -
            BigInt(Math.min(aheadS, Number((within.toNs - within.fromNs) / 2_000_000_000n))) * 1_000_000_000n,
          ...(isKnown && { types: { metrics, checked: true } }),
        } as CompileOptions;
        const compiled = compile(text, options);
        // A look-back over too many buckets.
        if (!compiled.ok && compiled.diagnostics.some(({ code }) => code === 'OQL-4008')) return;
        if (!compiled.ok) throw new Error(`${text}: ${JSON.stringify(compiled.diagnostics)}`);
        const { recent } = compiled;
        if (!recent) throw new Error(`${text}: not recognised`);
        const own = answerRecent(recent, { originMs: START_MS, series: world.series }, 40_001);
        if (!own) {
          told.left++;
          return;
        }
        const rows = await engine.select(
          compiled.sql,
          Object.fromEntries(Object.entries(compiled.params).map(([name, { value }]) => [name, value])),
          compiled.settings,
        );
        const [actual, expected] = [inOneOrder(own.rows, compiled), inOneOrder(rows, compiled)];
        const isSame =
          actual.length === expected.length &&
          actual.every(
            (row, i) => row.length === expected[i]?.length && row.every((value, j) => isAlike(expected[i]?.[j], value)),
          );
        if (!isSame) expect(actual, `${text} ${JSON.stringify(recent)}\n${compiled.sql}`).toEqual(expected);
        told.answered++;
        told.rows += rows.length > 0 ? 1 : 0;
      },
    ),
    { seed: SEED, numRuns: RUNS },
  );
  // If most were left to the engine, or had no rows, the test would prove little.
  expect(told.answered).toBeGreaterThan(RUNS * 0.8);
  expect(told.rows).toBeGreaterThan(RUNS * 0.3);
});
