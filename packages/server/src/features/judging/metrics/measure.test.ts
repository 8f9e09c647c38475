import type { MetricDefinition } from '@fanion/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClickHouse } from '../../../platform/clickhouse/index.ts';
import type { Gateway, RelationQuestion } from '../../../platform/gateway/index.ts';
import { newId } from '../../../platform/ids.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import { startTestStore, type TestStore } from '../../telemetry/ingest/testing/store.ts';
import { builtInMetric } from './definition-rules.ts';
import type { ArmSums, Exposed } from './measure.ts';
import { createMeasureMany } from './measure-many-store.ts';
import { createMeasure } from './measure-store.ts';
import { pinUnits } from './pins-store.ts';
import { testMetric } from './testing/test-metric.ts';

const day = 86_400_000;
const minute = 60_000;
/** Noon of yesterday: what is inserted is not too old. */
const start = Math.floor(Date.now() / day) * day - day / 2;

let telemetry: TestStore;
let gateway: Gateway;
let project = 0;
beforeAll(async () => {
  telemetry = await startTestStore();
  gateway = testGateway(telemetry.store);
});
afterAll(async () => {
  await gateway?.compiler.stop();
  await telemetry?.close();
});

interface Row {
  readonly unit: string;
  readonly at: number;
  readonly value?: number | string;
  readonly paid?: boolean;
}

const timeOf = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
const traceOf = (name: string) => name.padStart(16, '-');

async function insert(table: string, rows: readonly object[]) {
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  await telemetry.store.command(`INSERT INTO ${table} FORMAT JSONEachRow ${lines}`);
}

/** A project with these exposures and rows of logs; each test has its own. */
async function world(
  exposures: readonly {
    unit: string;
    variant: string;
    at: number;
    tracked?: boolean;
    trace?: string;
    source?: string;
  }[],
  rows: readonly Row[] = [],
): Promise<Exposed> {
  project++;
  const place = { workspace: 7, project, environment: 'production', retention_days: 3_650 };
  await insert(
    'flag_events',
    exposures.map(({ unit, variant, at, tracked = true, trace, source = 'server' }) => ({
      ...place,
      time: timeOf(at),
      flag: 'checkout',
      variant,
      reason: 'split',
      version: '1',
      unit,
      tracked,
      source,
      evaluations: 1,
      ...(trace !== undefined && { trace_id: traceOf(trace) }),
    })),
  );
  if (rows.length > 0)
    await insert(
      'logs',
      rows.map(({ unit, at, value, paid }) => ({
        ...place,
        time: timeOf(at),
        body: paid === true ? 'paid' : 'purchase',
        string_attributes: { 'user.id': unit, ...(typeof value === 'string' && { total: value }) },
        float_attributes: typeof value === 'number' ? { total: value } : {},
      })),
    );
  return {
    scope: { workspace: 7, project, environment: 'production' },
    flag: 'checkout',
    arms: ['off', 'on'],
    fromMs: start,
    toMs: start + 2 * 3_600_000,
  };
}

async function sums(
  exposed: Exposed,
  given: Partial<MetricDefinition>,
  beforeDays = 0,
): Promise<Record<string, ArmSums>> {
  const { signal } = new AbortController();
  const measured = await createMeasure(gateway, 'interactive').sums(exposed, testMetric(given), { beforeDays, signal });
  return Object.fromEntries(measured.map((arm) => [arm.variant, arm]));
}

/** Units 0 … n−1 of alternating arms, exposed at the start. */
const exposed = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ unit: `u${i}`, variant: i % 2 === 0 ? 'off' : 'on', at: start }));

describe('sums of a metric', () => {
  it('equal those of a computation that shares no code with the statement', async () => {
    const units = exposed(40);
    const rows: Row[] = units.flatMap(({ unit }, i) =>
      Array.from({ length: (i * 7) % 5 }, (_, j) => ({
        unit,
        at: start + (i + j + 1) * 1_000,
        value: (i % 6) + j * 0.25 - 1,
      })),
    );
    const place = await world(units, rows);
    const of = (variant: string) => {
      const arm = units.filter((unit) => unit.variant === variant);
      const all = arm.map(({ unit }) => rows.filter((row) => row.unit === unit).map(({ value }) => Number(value)));
      const add = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
      const xs = all.map(add);
      const ys = all.map(({ length }) => length);
      return {
        n: arm.length,
        x: add(xs),
        xx: add(xs.map((x) => x * x)),
        y: add(ys),
        yy: add(ys.map((y) => y * y)),
        xy: add(xs.map((x, i) => x * (ys[i] ?? 0))),
        active: all.filter(({ length }) => length > 0).length,
        rows: all.flat().length,
        counts: { x: add(ys), xx: add(ys.map((y) => y * y)) },
      };
    };
    for (const [kind, value] of [
      ['mean', 'attr["total"]'],
      ['sum', 'attr["total"]'],
      ['count', undefined],
      ['conversion', undefined],
    ] as const) {
      const found = await sums(place, { kind, value });
      for (const variant of ['off', 'on']) {
        const { counts, y, yy, xy, ...want } = of(variant);
        expect(found[variant]).toMatchObject({
          n: want.n,
          active: want.active,
          rows: want.rows,
          x: kind === 'conversion' ? want.active : expect.closeTo(kind === 'count' ? counts.x : want.x, 9),
          xx: kind === 'conversion' ? want.active : expect.closeTo(kind === 'count' ? counts.xx : want.xx, 9),
          ...(kind === 'mean' && { y, yy, xy: expect.closeTo(xy, 9) }),
          ...(kind === 'sum' && { y: 0, yy: 0, xy: 0 }),
        });
      }
    }
  });

  it('count a unit once, at its first exposure, and leave out units that saw both arms', async () => {
    const place = await world(
      [
        { unit: 'twice', variant: 'on', at: start + 10 * minute, source: 'otlp' },
        { unit: 'twice', variant: 'on', at: start + 5 * minute },
        { unit: 'crossed', variant: 'on', at: start },
        { unit: 'crossed', variant: 'off', at: start + minute },
        { unit: 'outside', variant: 'off', at: start, tracked: false },
        { unit: 'plain', variant: 'off', at: start },
      ],
      [
        { unit: 'twice', at: start + 4 * minute },
        { unit: 'twice', at: start + 6 * minute },
        { unit: 'twice', at: start + 11 * minute },
        { unit: 'crossed', at: start + 11 * minute },
        { unit: 'outside', at: start + 11 * minute },
      ],
    );
    const { signal } = new AbortController();
    expect(await createMeasure(gateway, 'interactive').units(place, signal)).toEqual({
      arms: { off: 1, on: 1 },
      crossed: 1,
      slices: [],
      firstMs: start,
    });
    const found = await sums(place, { kind: 'count' });
    expect(found.on).toMatchObject({ n: 1, x: 2, xx: 4 });
    expect(found.off).toMatchObject({ n: 1, x: 0, active: 0 });
  });

  it('count rows within the window after the exposure, and values that are numbers', async () => {
    const place = await world(
      [{ unit: 'u', variant: 'on', at: start }],
      [
        { unit: 'u', at: start + minute, value: 3 },
        { unit: 'u', at: start + 2 * minute, value: '4' },
        { unit: 'u', at: start + 3 * minute, value: 'many' },
        { unit: 'u', at: start + 4 * minute },
        { unit: 'u', at: start + 4 * minute, value: 'NaN' },
        { unit: 'u', at: start + 4 * minute, value: '-inf' },
        { unit: 'u', at: start + 20 * minute, value: 100 },
      ],
    );
    expect((await sums(place, { kind: 'sum', value: 'attr["total"]', window: '10m' })).on).toMatchObject({
      x: 7,
      rows: 2,
      skipped: 4,
    });
    for (const kind of ['sum', 'mean', 'ratio'] as const)
      expect((await sums(place, { kind, value: 'attr["total"]' })).on).toMatchObject({ x: 107, rows: 3, skipped: 4 });
    const median = { kind: 'quantile', quantile: 0.5, value: 'attr["total"]' } as const;
    expect((await sums(place, median)).on).toMatchObject({ rows: 3, skipped: 4 });
    expect((await sums(place, { kind: 'sum', value: 'attr["nothing"]' })).on).toMatchObject({
      x: 0,
      rows: 0,
      skipped: 7,
    });
    const later = { kind: 'retention', retention: { from: '10m', to: '30m' } } as const;
    expect((await sums(place, later)).on).toMatchObject({ x: 1, rows: 1 });
    expect((await sums(place, { ...later, retention: { from: '30m', to: '1h' } })).on).toMatchObject({ x: 0 });
  });

  it('cap a unit at a quantile of all units, with those without rows', async () => {
    const units = exposed(200);
    const place = await world(
      units,
      units.slice(0, 60).map(({ unit }, i) => ({ unit, at: start + 1_000, value: i === 0 ? 1_000_000 : i })),
    );
    const found = await sums(place, { kind: 'sum', value: 'attr["total"]', cap: 0.9 });
    // Of 200 values the 180th is 40: 140 zeros, then 1 … 59 and the largest.
    const sorted = [...Array(140).fill(0), ...Array.from({ length: 59 }, (_, i) => i + 1), 1_000_000];
    const limit = sorted[179];
    const want = (arm: 'off' | 'on') =>
      units
        .slice(0, 60)
        .map((unit, i) => (unit.variant === arm ? Math.min(i === 0 ? 1_000_000 : i, limit) : 0))
        .reduce((sum, one) => sum + one, 0);
    expect(found.off?.x).toBe(want('off'));
    expect(found.on?.x).toBe(want('on'));
  });

  it('cap units whose values are very different in both arms, above, at and below zero', async () => {
    const units = exposed(100);
    const earned = (i: number) => (i < 80 ? (i % 2 === 0 ? i : i - 79) : 0);
    const place = await world(
      units,
      units.slice(0, 80).map(({ unit }, i) => ({ unit, at: start + 1_000, value: earned(i) })),
    );
    const sorted = units.map((_, i) => earned(i)).sort((a, b) => a - b);
    for (const cap of [0.01, 0.3, 0.39, 0.4, 0.5, 0.61, 0.9, 0.99]) {
      const limit = sorted[Math.ceil(cap * 100) - 1] ?? 0;
      const want = (arm: string) =>
        units.reduce((sum, { variant }, i) => sum + (variant === arm && i < 80 ? Math.min(earned(i), limit) : 0), 0);
      const found = await sums(place, { kind: 'sum', value: 'attr["total"]', cap });
      expect([cap, found.off?.x, found.on?.x]).toEqual([cap, want('off'), want('on')]);
    }
  });

  it('sum up what units did before their exposure, for CUPED', async () => {
    const place = await world(
      [
        { unit: 'a', variant: 'on', at: start },
        { unit: 'b', variant: 'on', at: start },
      ],
      [
        { unit: 'a', at: start - 3_600_000, value: 5 },
        { unit: 'a', at: start - 30 * day, value: 50 },
        { unit: 'a', at: start + minute, value: 7 },
        { unit: 'b', at: start - 60_000, value: 2 },
      ],
    );
    const found = await sums(place, { kind: 'sum', value: 'attr["total"]' }, 14);
    expect(found.on).toMatchObject({ n: 2, x: 7, xx: 49, p: 7, pp: 29, px: 35, active: 1, rows: 1 });
  });

  it('count a unit in a funnel that has rows of all steps, in order', async () => {
    const place = await world(
      [
        { unit: 'whole', variant: 'on', at: start },
        { unit: 'reversed', variant: 'on', at: start },
        { unit: 'half', variant: 'on', at: start },
      ],
      [
        { unit: 'whole', at: start + 1_000 },
        { unit: 'whole', at: start + 2_000, paid: true },
        { unit: 'reversed', at: start + 1_000, paid: true },
        { unit: 'reversed', at: start + 2_000 },
        { unit: 'half', at: start + 1_000 },
      ],
    );
    const found = await sums(place, { kind: 'funnel', steps: ['body == "purchase"', 'body == "paid"'] });
    expect(found.on).toMatchObject({ n: 3, x: 1, active: 3 });
  });

  it('count rows of one time, and one row of several steps, as a funnel in order', async () => {
    const place = await world(
      ['tie', 'alone', 'early', 'none'].map((unit) => ({ unit, variant: 'on', at: start })),
      [
        { unit: 'tie', at: start + 1_000, paid: true },
        { unit: 'tie', at: start + 1_000 },
        { unit: 'alone', at: start + 1_000, paid: true },
        { unit: 'early', at: start - 1_000 },
        { unit: 'early', at: start + 1_000, paid: true },
      ],
    );
    const [bought, paid, any] = ['body == "purchase"', 'body == "paid"', 'user.id exists'];
    const found = async (...steps: string[]) => (await sums(place, { kind: 'funnel', steps })).on?.x;
    // What was bought before the exposure does not count.
    expect([await found(bought, paid), await found(any, paid), await found(paid, paid)]).toEqual([1, 3, 3]);
    // Two steps are counted in another way than three.
    expect([await found(bought, any, paid), await found(any, any, paid)]).toEqual([1, 3]);
  });

  it('give a quantile as order statistics, with the rows up to it by unit', async () => {
    const units = exposed(2);
    const rows = Array.from({ length: 200 }, (_, i) => ({ unit: 'u1', at: start + 1_000 + i, value: 200 - i }));
    const place = await world(units, [...rows, { unit: 'u0', at: start + 1_000, value: 1 }]);
    const { on, off } = await sums(place, { kind: 'quantile', value: 'attr["total"]', quantile: 0.9 });
    const half = 1.959963984540054 * Math.sqrt((0.9 * 0.1) / 200);
    expect(on?.quantile).toEqual({
      value: 180,
      lower: Math.ceil((0.9 - half) * 200),
      upper: Math.ceil((0.9 + half) * 200),
      delta: expect.closeTo(half, 12),
    });
    expect(on).toMatchObject({ n: 1, x: 180, y: 200, rows: 200 });
    expect(off?.quantile?.value).toBe(1);
  });

  it('hold with a unit that has a million events', async () => {
    const few = ['u0', 'u2'].map((unit) => ({ unit, at: start + 1_000, value: 1 }));
    const place = await world(exposed(4), few);
    await telemetry.store.command(
      `INSERT INTO logs (workspace, project, environment, retention_days, time, body, string_attributes, float_attributes)
       SELECT 7, {project:UInt32}, 'production', 3650, fromUnixTimestamp64Milli({at:Int64} + number % 60000, 'UTC'), 'purchase',
         map('user.id', 'u1'), map('total', toFloat64(number % 10)) FROM numbers(1000000)`,
      { params: { project: place.scope.project, at: String(start + 1_000) } },
    );
    const value = 'attr["total"]';
    const steps = [`${value} == 3`, `${value} == 9`];
    const measure = createMeasure(gateway, 'interactive');
    const kinds = [
      testMetric(),
      testMetric({ kind: 'count' }),
      testMetric({ kind: 'mean', value }),
      testMetric({ kind: 'sum', value, cap: 0.5 }),
      testMetric({ kind: 'funnel', steps }),
      testMetric({ kind: 'quantile', value, quantile: 0.9 }),
    ];
    const measured = await measure.all(place, kinds, { signal: new AbortController().signal });
    // Of the capped sums 0, 1, 1 and 4,500,000 the second is 1.
    expect(measured.map((one) => ('sums' in one ? one.sums[1] : one))).toMatchObject([
      { n: 2, x: 1, active: 1, rows: 1_000_000 },
      { n: 2, x: 1_000_000, xx: 1e12, active: 1 },
      { n: 2, x: 4_500_000, y: 1_000_000, xy: 4.5e12, active: 1 },
      { n: 2, x: 1, xx: 1, active: 1, rows: 1_000_000 },
      { n: 2, x: 1, active: 1 },
      { n: 2, y: 1_000_000, active: 1, quantile: { value: 8 } },
    ]);
  });

  it('of 30 metrics in 10 arms are each its own', async () => {
    const arms = Array.from({ length: 10 }, (_, i) => `arm-${i}`);
    const units = Array.from({ length: 50 }, (_, i) => ({ unit: `u${i}`, variant: arms[i % 10] ?? '', at: start }));
    const rows = units.flatMap(({ unit }, i) =>
      Array.from({ length: (i % 10) + 1 }, (_, j) => ({ unit, at: start + 1_000 * (j + 1), value: j })),
    );
    const place = { ...(await world(units, rows)), arms };
    const below = Array.from({ length: 30 }, (_, i) => (i % 10) + 1);
    const metrics = below.map((limit) =>
      testMetric({ kind: 'count', source: `logs | where attr["total"] < ${limit}` }),
    );
    const { signal } = new AbortController();
    const measured = await createMeasure(gateway, 'interactive').all(place, metrics, { signal });
    expect(measured.map((one) => ('sums' in one ? one.sums.map(({ n, x }) => [n, x]) : one))).toEqual(
      below.map((limit) => arms.map((_, j) => [5, 5 * Math.min(limit, j + 1)])),
    );
  });

  it('are an error, not zeros, where values are too large to be added up', async () => {
    const place = await world(exposed(2), [
      { unit: 'u0', at: start + 1_000, value: 1e200 },
      { unit: 'u1', at: start + 1_000, value: 2 },
    ]);
    const metrics = [testMetric({ kind: 'sum', value: 'attr["total"]' }), testMetric({ kind: 'count' })];
    const { signal } = new AbortController();
    const [large, counted] = await createMeasure(gateway, 'interactive').all(place, metrics, { signal });
    expect(large).toEqual({ error: expect.stringContaining('too large') });
    expect(counted).toMatchObject({ sums: [{ x: 1 }, { x: 1 }] });
  });

  it('are unknown, not zeros, while the store is away', async () => {
    const place = await world(exposed(2));
    const away = createClickHouse({ url: 'http://127.0.0.1:1', database: 'fanion' });
    const elsewhere = testGateway(away);
    try {
      const measure = createMeasure(elsewhere, 'interactive');
      const units = { arms: { off: 1, on: 1 }, crossed: 0, slices: [] };
      const { signal } = new AbortController();
      await expect(measure.units(place, signal)).rejects.toMatchObject({ status: 503 });
      const metrics = [testMetric(), testMetric({ kind: 'count' })];
      await expect(measure.all(place, metrics, { units, signal })).rejects.toMatchObject({ status: 503 });
    } finally {
      await elsewhere.compiler.stop();
      await away.close();
    }
  });

  it('read the traces that saw the flag for a metric by trace', async () => {
    const place = await world([
      { unit: 'a', variant: 'on', at: start + 1_000, trace: 'a1' },
      { unit: 'a', variant: 'on', at: start + 5_000, trace: 'a2' },
      { unit: 'b', variant: 'off', at: start + 1_000, trace: 'b1' },
      { unit: 'c', variant: 'off', at: start + 1_000, trace: 'c1', tracked: false },
    ]);
    const span = (trace: string, failed: boolean, kind = 'server') => ({
      ...place.scope,
      retention_days: 3_650,
      time: timeOf(start),
      service: 'shop',
      name: 'GET /',
      kind,
      parent_span_id: kind === 'server' ? '' : 'parent--',
      status: failed ? 'error' : 'ok',
      duration: 1_000_000,
      trace_id: traceOf(trace),
    });
    await insert('spans', [
      span('a1', true),
      span('a1', true, 'internal'),
      span('a2', false),
      span('b1', false),
      span('c1', true),
      span('other', true),
    ]);
    const definition = builtInMetric('error_rate')?.definition;
    const found = await sums(place, { ...definition });
    expect(found.on).toMatchObject({ n: 1, x: 1, y: 2, rows: 2 });
    expect(found.off).toMatchObject({ n: 1, x: 0, y: 1, rows: 1 });
    expect((await sums(place, { ...builtInMetric('latency_p95')?.definition })).on?.quantile?.value).toBe(1_000_000);
  });

  it('are the same for metrics that share a scan as for each alone', async () => {
    const units = exposed(60);
    const rows: Row[] = units.flatMap(({ unit }, i) =>
      Array.from({ length: (i * 5) % 7 }, (_, j) => ({
        unit,
        at: start + (i - 20 + j * 11) * minute,
        value: j === 3 ? 'no number' : (i % 9) - 2 + j / 4,
        paid: j % 3 === 1,
      })),
    );
    const place = await world(units, rows);
    const value = 'attr["total"]';
    const paid = 'logs | where body == "paid" // those that paid';
    const metrics = [
      testMetric({ source: paid }),
      testMetric({ kind: 'count' }),
      testMetric({ kind: 'count', source: `${paid}\n| where user.id != "u7"` }),
      testMetric({ kind: 'sum', value, source: paid, cap: 0.9 }),
      testMetric({ kind: 'sum', value, cap: 0.5, window: '20m' }),
      testMetric({ kind: 'mean', value, source: paid }),
      testMetric({ kind: 'ratio', value, denominator: 'if(body == "paid", 2, 1)', cap: 0.8 }),
      testMetric({ kind: 'retention', retention: { from: '5m', to: '30m' } }),
      testMetric({
        kind: 'funnel',
        steps: ['body == "purchase"', 'body == "paid"'],
        source: 'logs | where user.id != "u9"',
      }),
      testMetric({ kind: 'quantile', value, quantile: 0.8 }),
      testMetric({ kind: 'sum', value, source: 'logs | where nothing(1)' }),
      { ...testMetric(), ...builtInMetric('error_rate')?.definition },
    ];
    const { signal } = new AbortController();
    const measure = createMeasure(gateway, 'interactive');
    for (const beforeDays of [0, 3]) {
      const together = await measure.all(place, metrics, { beforeDays, signal });
      for (const [i, metric] of metrics.entries()) {
        const measured = together[i];
        if (measured === undefined || 'error' in measured) {
          expect([i, measured?.error]).toEqual([10, expect.stringContaining('nothing')]);
          continue;
        }
        const alone = await measure.sums(place, metric, { beforeDays, signal });
        expect(measured.sums.map((sums) => rounded(sums))).toEqual(alone.map((sums) => rounded(sums)));
      }
    }
    // One of them is counted by hand: rows from the exposure on.
    const counted = (await measure.all(place, metrics, { signal }))[1];
    const off = units.filter(({ variant }) => variant === 'off').map(({ unit }) => unit);
    expect(counted !== undefined && 'sums' in counted && counted.sums[0]?.x).toBe(
      rows.filter(({ unit, at }) => off.includes(unit) && at >= start && at < place.toMs).length,
    );
  });
});

/** Sums of floats depend on their order in the last digits. */
function rounded(sums: ArmSums): object {
  return Object.fromEntries(
    Object.entries(sums).map(([key, one]) => [key, typeof one === 'number' ? Number(one.toPrecision(10)) : one]),
  );
}

describe('attributes of any type', () => {
  /** Where OTLP can put a value, and what it can be there. */
  const places: fc.Arbitrary<Readonly<Record<string, string | number | boolean>>> = fc
    .dictionary(fc.constantFrom('string', 'int', 'float', 'bool', 'json', 'resource'), fc.nat({ max: 5 }), {
      maxKeys: 2,
    })
    .map((drawn) =>
      Object.fromEntries(
        Object.entries(drawn).map(([map, i]) => [
          map,
          map === 'bool'
            ? i % 2 === 0
            : map === 'json'
              ? `[${i}]`
              : map === 'int'
                ? i - 2
                : map === 'float'
                  ? i / 4
                  : (['', 'abc', '1', '2.5', '-3e2', ' 4'][i] ?? ''),
        ]),
      ),
    );
  const row = fc.record({
    unit: places,
    total: places,
    seconds: fc.integer({ min: 1, max: 6_000 }),
    paid: fc.boolean(),
  });
  /** As text, whatever its type: attributes come before the resource, and texts before other types. */
  const textOf = (found: Readonly<Record<string, string | number | boolean>>) => {
    const map = ['string', 'int', 'float', 'bool', 'json', 'resource'].find((one) => found[one] !== undefined);
    return map === undefined ? undefined : String(found[map]);
  };
  const numberOf = (text: string | undefined) => (text !== undefined && /^-?\d/.test(text) ? Number(text) : undefined);

  it('count as text where they are units and as numbers where they are values, wherever they are stored', async () => {
    const ids = ['0', '1', '2', '2.5', '-1', 'abc', 'true', '[1]', '0.25'];
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 60 }), async (rows) => {
        const exposures = ids.map((unit, i) => ({ unit, variant: i % 2 === 0 ? 'off' : 'on', at: start }));
        const place = await world(exposures);
        const of = (map: string, { unit, total }: (typeof rows)[number]) => ({
          ...(unit[map] !== undefined && { 'user.id': unit[map] }),
          ...(total[map] !== undefined && { total: total[map] }),
        });
        await insert(
          'logs',
          rows.map((one) => ({
            ...{ ...place.scope, retention_days: 3_650, time: timeOf(start + one.seconds * 1_000) },
            body: one.paid ? 'paid' : 'seen',
            ...Object.fromEntries(
              ['string', 'int', 'float', 'bool', 'json'].map((map) => [`${map}_attributes`, of(map, one)]),
            ),
            resource: of('resource', one),
          })),
        );
        const metrics = [
          testMetric({ kind: 'count' }),
          testMetric({ kind: 'sum', value: 'total', source: 'logs | where body == "paid"' }),
          testMetric({ kind: 'sum', value: 'total' }),
          testMetric({ kind: 'quantile', quantile: 0.5, value: 'total' }),
        ];
        const { signal } = new AbortController();
        const measured = await createMeasure(gateway, 'interactive').all(place, metrics, { signal });
        const told = measured.map((one) =>
          'sums' in one ? one.sums.map(({ rows, x, xx }) => ({ rows, x, xx })) : one,
        );
        const joined = rows.map((one) => ({
          arm: exposures.find(({ unit }) => unit === textOf(one.unit))?.variant,
          value: numberOf(textOf(one.total)),
          paid: one.paid,
          unit: textOf(one.unit),
        }));
        const sumsOf = (arm: string, value: (one: (typeof joined)[number]) => number | undefined) => {
          const own = joined.filter((one) => one.arm === arm && value(one) !== undefined);
          const units = new Map<string | undefined, number>();
          for (const one of own) units.set(one.unit, (units.get(one.unit) ?? 0) + (value(one) ?? 0));
          const xs = [...units.values()];
          return { rows: own.length, x: xs.reduce((a, b) => a + b, 0), xx: xs.reduce((a, b) => a + b * b, 0) };
        };
        const each = (value: Parameters<typeof sumsOf>[1]) => place.arms.map((arm) => sumsOf(arm, value));
        expect(told.slice(0, 3)).toEqual([
          each(() => 1),
          each(({ value, paid }) => (paid ? value : undefined)),
          each(({ value }) => value),
        ]);
        expect(told[3]).toMatchObject(each(({ value }) => value).map(({ rows }) => ({ rows })));
      }),
      { numRuns: 10 },
    );
  });
});

describe('metrics whose shared scan takes too long', () => {
  /** A gateway where scans of more metrics than these run into their time limit, and the sizes of all scans. */
  function slowAbove(most: number) {
    const sizes: number[] = [];
    const relate: Gateway['relate'] = (scope, questions, around, budget) => {
      const texts = Object.values<RelationQuestion>(questions).map(({ oql }) => oql);
      const size = new Set(texts.join(' ').match(/metric-\d/g)).size;
      if (size > 0) sizes.push(size);
      if (size <= most) return gateway.relate(scope, questions, around, budget);
      const endless = () => ({ sql: 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000000)' });
      return gateway.relate(scope, questions, endless, { ...budget, limits: { maxSeconds: 0.05, maxRowsToRead: 0 } });
    };
    return { measure: createMeasure({ ...gateway, relate }, 'interactive'), sizes };
  }

  it.each([
    ['fit in halves', 4, [7, 4, 3], undefined],
    ['fit in quarters', 2, [7, 4, 2, 2, 3, 2, 1], undefined],
    ['do not fit alone', 0, [7, 4, 2, 1, 1, 2, 1, 1, 3, 2, 1, 1, 1], 'long'],
  ])('are read by half of them: %s', async (_name, most, sizes, error) => {
    const place = await world(
      exposed(4),
      exposed(4).map(({ unit, at }) => ({ unit, at: at + minute })),
    );
    const metrics = Array.from({ length: 7 }, (_, i) =>
      testMetric({ source: `logs | where body == "purchase" and body != "metric-${i}"` }),
    );
    const { signal } = new AbortController();
    const slow = slowAbove(most);
    const found = await slow.measure.all(place, metrics, { signal });
    expect(slow.sizes).toEqual(sizes);
    if (error === undefined)
      expect(found).toEqual(await createMeasure(gateway, 'interactive').all(place, metrics, { signal }));
    else expect(found).toEqual(metrics.map(() => ({ error: expect.stringContaining(error) })));
  });
});

describe('the units of an experiment', () => {
  const { signal } = new AbortController();

  it('are kept when their exposures have expired, once, with those that crossed', async () => {
    const hours = 3_600_000;
    const place = await world(
      [
        { unit: 'early', variant: 'on', at: start },
        { unit: 'early', variant: 'on', at: start + hours },
        { unit: 'crossed', variant: 'on', at: start },
        { unit: 'crossed', variant: 'off', at: start + minute },
        { unit: 'later', variant: 'off', at: start },
        { unit: 'untracked', variant: 'off', at: start, tracked: false },
      ],
      [
        { unit: 'early', at: start + 30 * minute },
        { unit: 'later', at: start + 90 * minute },
        { unit: 'late', at: start + 90 * minute },
      ],
    );
    const pinned = { ...place, pinned: newId(start) };
    const measure = createMeasure(gateway, 'interactive');
    // Twice, as two replicas or a repetition would.
    await pinUnits(telemetry.store, pinned, pinned.fromMs, signal);
    await pinUnits(telemetry.store, pinned, pinned.fromMs, signal);
    const before = await measure.units(pinned, signal);
    expect(before).toMatchObject({ arms: { off: 1, on: 1 }, crossed: 1, slices: [] });
    const counts = await measure.sums(pinned, testMetric({ kind: 'count' }), { signal });
    await telemetry.store.command(
      `ALTER TABLE exposures DELETE WHERE workspace = 7 AND project = ${place.scope.project}`,
      { settings: { mutations_sync: 1 } },
    );
    expect((await measure.units(place, signal)).arms).toEqual({ off: 0, on: 0 });
    expect(await measure.units(pinned, signal)).toEqual(before);
    expect(await measure.sums(pinned, testMetric({ kind: 'count' }), { signal })).toEqual(counts);

    // What is reported later: a new unit, a unit that saw the other arm already, and one that was seen before.
    const seen = (unit: string, variant: string, at: number) => ({
      ...place.scope,
      ...{ retention_days: 3_650, flag: 'checkout', reason: 'split', version: '1', tracked: true, source: 'server' },
      ...{ time: timeOf(at), unit, variant, evaluations: 1 },
    });
    await insert('flag_events', [
      seen('late', 'on', start + hours),
      seen('later', 'on', start + hours),
      seen('early', 'on', start + hours),
    ]);
    expect(await measure.units(pinned, signal)).toMatchObject({ arms: { off: 0, on: 2 }, crossed: 2 });
    // Only the new unit, where the events of the others are not all there any more.
    const recent = { ...pinned, countedFromMs: start + 30 * minute };
    expect((await measure.units(recent, signal)).arms).toEqual({ off: 0, on: 1 });
    const [, on] = await measure.sums(recent, testMetric({ kind: 'count' }), { signal });
    expect(on).toMatchObject({ n: 1, x: 1, rows: 1 });
  });
});

describe('slices', () => {
  const { signal } = new AbortController();
  const of = (sums: readonly ArmSums[]) =>
    Object.fromEntries(sums.map(({ variant, slice, n, x, rows }) => [`${variant} ${slice}`, { n, x, rows }]));

  it('divide units by when they were exposed first', async () => {
    const place = await world(
      [
        { unit: 'a', variant: 'on', at: start },
        { unit: 'a', variant: 'on', at: start + 40 * minute },
        { unit: 'b', variant: 'on', at: start + 30 * minute },
        { unit: 'c', variant: 'off', at: start + 31 * minute },
      ],
      [
        { unit: 'a', at: start + 50 * minute },
        { unit: 'b', at: start + 50 * minute },
        { unit: 'b', at: start + 51 * minute },
      ],
    );
    const slicing = { by: 'start', bounds: [start + 30 * minute] } as const;
    const found = await createMeasure(gateway, 'interactive').sums(place, testMetric({ kind: 'count' }), {
      slicing,
      signal,
    });
    expect(of(found)).toEqual({
      'on 0': { n: 1, x: 1, rows: 1 },
      'on 1': { n: 1, x: 2, rows: 2 },
      'off 1': { n: 1, x: 0, rows: 0 },
    });
  });

  it('divide units by the arm of another flag', async () => {
    const place = await world(
      ['a', 'b', 'c', 'd'].map((unit, i) => ({ unit, variant: i % 2 === 0 ? 'on' : 'off', at: start })),
      ['a', 'b', 'c', 'd'].map((unit) => ({ unit, at: start + minute })),
    );
    const seen = (unit: string, variant: string) => ({
      ...place.scope,
      retention_days: 3_650,
      time: timeOf(start),
      flag: 'banner',
      variant,
      reason: 'split',
      version: '1',
      unit,
      tracked: true,
      source: 'server',
      evaluations: 1,
    });
    // d saw both arms of the other flag, and nobody knows about c.
    await insert('flag_events', [seen('a', 'x'), seen('b', 'y'), seen('d', 'x'), seen('d', 'y')]);
    const slicing = { by: 'flag', flag: 'banner', arms: ['x', 'y'] } as const;
    const found = await createMeasure(gateway, 'interactive').sums(place, testMetric({ kind: 'count' }), {
      slicing,
      signal,
    });
    expect(of(found)).toEqual({ 'on x': { n: 1, x: 1, rows: 1 }, 'off y': { n: 1, x: 1, rows: 1 } });
  });

  it('divide units by an expression of their first evaluation', async () => {
    const place = await world([
      { unit: 'a', variant: 'on', at: start + minute, source: 'server' },
      { unit: 'a', variant: 'on', at: start + 2 * minute, trace: 'late' },
      { unit: 'b', variant: 'on', at: start + minute, trace: 'known' },
    ]);
    const slicing = { by: 'expression', expression: 'if(trace_id == null, "none", "traced")', values: [] } as const;
    const measure = createMeasure(gateway, 'interactive');
    const found = await measure.sums(place, testMetric({ kind: 'count' }), { slicing, signal });
    expect(of(found)).toEqual({ 'on none': { n: 1, x: 0, rows: 0 }, 'on traced': { n: 1, x: 0, rows: 0 } });
  });

  it('divide rows by whole days since the exposure, of units that have had that day', async () => {
    const place = {
      ...(await world(
        [
          { unit: 'early', variant: 'on', at: start },
          { unit: 'late', variant: 'on', at: start + 26 * 60 * minute },
        ],
        [
          { unit: 'early', at: start + minute },
          { unit: 'early', at: start + 25 * 60 * minute },
          { unit: 'early', at: start + 49 * 60 * minute },
          { unit: 'late', at: start + 27 * 60 * minute },
        ],
      )),
      toMs: start + 2 * day + 60 * minute,
    };
    const slicing = { by: 'day', days: 30 } as const;
    const measure = createMeasure(gateway, 'interactive');
    const found = await measure.sums(place, testMetric({ kind: 'count' }), { slicing, signal });
    expect(of(found)).toEqual({ 'on 0': { n: 1, x: 1, rows: 1 }, 'on 1': { n: 1, x: 1, rows: 1 } });
  });
});

describe('several flags at once', () => {
  it('are measured as each of them alone', async () => {
    const { scope } = await world([]);
    const traced: object[] = [];
    const flags = Array.from({ length: 4 }, (_, f) => ({
      flag: `flag-${f}`,
      arms: f === 3 ? ['red', 'blue'] : ['off', 'on'],
      fromMs: start + f * 10 * minute,
    }));
    const evaluations = flags.flatMap(({ flag, arms }, f) =>
      Array.from({ length: 30 }, (_, i) => {
        // Some before the flag counts, some crossed, some of another variant, some that are not tracked.
        const at = start + ((i * 7) % 60) * minute + i * 1_000;
        const trace = `${f}-${i}`;
        const failed = (i + f) % 3 === 0;
        for (const late of [-1, 3]) {
          const time = timeOf(at + late * minute);
          const status = failed ? 'error' : 'ok';
          const span = { time, status, kind: 'server', name: 'GET /', service: 'shop', trace_id: traceOf(trace) };
          traced.push({ ...scope, ...span, retention_days: 3_650, duration: 1_000_000 * (i + 1) });
        }
        return {
          ...{ ...scope, retention_days: 3_650, reason: 'split', version: '1', source: 'server', evaluations: 1 },
          ...{ time: timeOf(at), flag, trace_id: traceOf(trace), unit: `u${i % 25}`, tracked: i % 11 !== 0 },
          variant: i % 13 === 0 ? 'other' : arms[(i % 25) % 2],
        };
      }),
    );
    await insert('flag_events', evaluations);
    await insert('spans', traced);
    const rows = Array.from({ length: 50 }, (_, i) => ({
      ...{ ...scope, retention_days: 3_650, time: timeOf(start + i * 2 * minute), body: 'purchase' },
      ...{ string_attributes: { 'user.id': `u${i % 25}` }, float_attributes: { total: i } },
    }));
    await insert('logs', rows);
    const asked = { scope, toMs: start + 100 * minute, flags };
    const builtIns = ['error_rate', 'p95_latency', 'requests', 'exceptions'].map((key) => ({
      ...testMetric(),
      ...builtInMetric(key)?.definition,
    }));
    const metrics = [...builtIns, testMetric(), testMetric({ kind: 'mean', value: 'attr["total"]', window: '30m' })];
    const { signal } = new AbortController();
    const [many, one] = [createMeasureMany(gateway, 'alert'), createMeasure(gateway, 'alert')];
    const units = await many.units(asked, signal);
    const measured = await many.all(asked, metrics, { units, signal });
    for (const [i, flag] of flags.entries()) {
      const alone: Exposed = { scope, toMs: asked.toMs, ...flag };
      const own = await one.units(alone, signal);
      expect(Object.values(own.arms).every((n) => n > 1)).toBe(true);
      expect({ ...units[i], firstMs: own.firstMs }).toEqual(own);
      const found = await one.all(alone, metrics, { units: own, signal });
      const sumsOf = (given: readonly (typeof found)[number][] | undefined) =>
        given?.map((each) => ('sums' in each ? each.sums.map(rounded) : each));
      expect(sumsOf(measured[i])).toEqual(sumsOf(found));
      expect(
        found.flatMap((each) => ('sums' in each ? each.sums.map(({ rows }) => rows) : [])).some((n) => n > 0),
      ).toBe(true);
    }
  });
});
