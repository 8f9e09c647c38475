import { type Compiled, compile, decodeRow, type MetricRollUps } from '@fanion/oql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NumberPoint, type NumberSeries, seriesTables } from '../../../../../oql/src/testing/series-tables.ts';
import { START, TENANT } from '../../../../../oql/src/testing/world.ts';
import { metricRollUps0018 } from '../../../platform/clickhouse/migrations/0018-metric-roll-ups.ts';
import { listRollUps } from '../../../platform/gateway/know/store.ts';
import type { JobRun } from '../../../platform/jobs/index.ts';
import type { ScopedTelemetry } from '../../../platform/scoped-telemetry.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import { startTestStore, type TestStore } from '../ingest/testing/store.ts';
import { createRollUpLag, rollUpJob } from './index.ts';

/**
 * Asks the same questions with and without roll-ups, over random series of counters: resets by a drop and by a later start, gaps, points that
 * were sent twice with other values, both temporalities, and points that come after their hour was rolled up.
 */
const hourS = 3600;
const hours = 30;
const startS = Number(START / 1_000_000_000n);
const nowMs = (startS + (hours + 2) * hourS) * 1000;
const scope = { workspace: TENANT.workspace, project: TENANT.project, environment: TENANT.environment };
const place = { ...scope };

/** The same numbers on each run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A series, what is sent of it twice, and what comes late. */
function seriesOf(id: number): readonly [NumberSeries, NumberSeries, NumberSeries] {
  const random = randomOf(id + 1);
  const chance = (share: number) => random() < share;
  const upTo = (most: number) => Math.floor(random() * most);
  const points: NumberPoint[] = [];
  const twice: NumberPoint[] = [];
  const late: NumberPoint[] = [];
  let value = upTo(1000);
  let since = chance(0.3) ? undefined : -1500 + upTo(1200);
  const begin = chance(0.6) ? -1200 : upTo(10 * hourS);
  if (begin > 0 && since !== undefined) since = begin - 1;
  for (let at = begin; at < hours * hourS; at += chance(0.01) ? upTo(3 * hourS) : 10 + upTo(500)) {
    if (chance(0.05)) {
      value = upTo(50);
      if (since !== undefined && chance(0.7)) since = at - 2;
    } else value += upTo(30);
    // Some lie on the edges of slots.
    const time = chance(0.1) ? Math.floor(at / 300) * 300 : at;
    if (time <= (points.at(-1)?.at ?? -1e9)) continue;
    const point = { at: time, value, ...(since !== undefined && { since }) };
    const mayBeLate = time >= 10 * hourS && time < 13 * hourS;
    (mayBeLate && chance(0.1) ? late : points).push(point);
    if (chance(0.1)) twice.push({ ...point, value: value - 3 + upTo(7) });
    if (mayBeLate && chance(0.1)) late.push({ ...point, value: value - 3 + upTo(7) });
    if (chance(0.05) && since !== undefined) twice.push({ ...point, since: since + 1 });
  }
  const temporality = id % 4 === 3 ? 'delta' : 'cumulative';
  const about = { metric: temporality, kind: 'sum', temporality, attributes: { s: `s${id}` } } as const;
  return [
    { ...about, points },
    { ...about, points: twice },
    { ...about, points: late },
  ];
}

const ALL = Array.from({ length: 16 }, (_, id) => seriesOf(id));
let store: TestStore;
let telemetry: ScopedTelemetry;
beforeAll(async () => {
  store = await startTestStore();
  telemetry = {
    rows: (of, sql, params, signal) => store.store.queryRows(sql, { params: { ...of, ...params }, signal }),
  };
  await insert(0);
  await insert(1);
  await rollUp();
});
afterAll(() => store?.close());

async function insert(which: 0 | 1 | 2): Promise<void> {
  for (const { insert: statement, rows } of seriesTables(ALL.map((one) => one[which])))
    for (let at = 0; at < rows.length; at += 1000) {
      const data = rows.slice(at, at + 1000).map((row) => JSON.stringify(row));
      await store.store.command(statement.replace('{data}', () => `$fixture$${data.join('\n')}$fixture$`));
    }
}

let epoch = 0;
async function rollUp(at = nowMs): Promise<void> {
  epoch += 1;
  const run: JobRun = {
    name: 'metrics.roll_up',
    payload: undefined,
    scheduledFor: new Date(at),
    epoch,
    signal: new AbortController().signal,
    now: () => at,
    commit: () => Promise.reject(new Error('it has no effects in the control plane')),
    finish: async () => {},
  };
  await rollUpJob(store.store, createRollUpLag()).run(run);
}

interface Asked {
  readonly query: string;
  readonly fromS: number;
  readonly toS: number;
}

function compiled({ query, fromS, toS }: Asked, rollUps?: readonly MetricRollUps[]): Compiled {
  const at = (seconds: number) => START + BigInt(Math.round(seconds * 1000)) * 1_000_000n;
  const options = {
    scope,
    limit: 10_000,
    nowNs: BigInt(nowMs) * 1_000_000n,
    window: { fromNs: at(fromS), toNs: at(toS) },
  };
  const result = compile(query, { ...options, ...(rollUps && { types: { metrics: [], rollUps } }) });
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result;
}

async function answerOf({ sql, params, settings, columns }: Compiled): Promise<Map<string, number>> {
  const values = Object.fromEntries(Object.entries(params).map(([name, { value }]) => [name, value]));
  const { rows } = await store.store.query(sql, { params: values, settings });
  return new Map(
    rows
      .map((row) => decodeRow(columns, row))
      .map((row): [string, number] => [row.slice(0, -1).join(' '), Number(row.at(-1))]),
  );
}

const rollUpsOf = ({ rollUps, reach }: Compiled, of: typeof place = place) =>
  listRollUps(telemetry, of, [...new Set(rollUps.map(({ metric }) => metric))], reach, new AbortController().signal);

/** The answers with roll-ups and without, after checking that the first does read some. */
async function both(asked: Asked) {
  const plan = compiled(asked);
  const rolled = compiled(asked, await rollUpsOf(plan));
  expect(rolled.rollUps.flatMap(({ read }) => read).length).toBeGreaterThan(0);
  expect(rolled.sql).toContain('metric_rollups');
  return { points: await answerOf(plan), rollUps: await answerOf(rolled) };
}

function expectSame({ points, rollUps }: Awaited<ReturnType<typeof both>>): void {
  expect([...rollUps.keys()].sort()).toEqual([...points.keys()].sort());
  for (const [key, value] of points) expect(rollUps.get(key), key).toBeCloseTo(value, 9);
}

const questions: readonly Asked[] = ['cumulative', 'delta'].flatMap((metric) => [
  { query: `metric ${metric} | increase | sum by s`, fromS: 0, toS: 24 * hourS },
  { query: `metric ${metric} | increase | sum by s`, fromS: 4017.5, toS: 24 * hourS + 3011.25 },
  { query: `metric ${metric} | rate | sum by s, bucket(5m)`, fromS: 0, toS: 12 * hourS },
  { query: `metric ${metric} | rate | sum by s, bucket(5m)`, fromS: 17.5, toS: 29.9 * hourS },
  { query: `metric ${metric} | rate 20m | sum by s, bucket(5m)`, fromS: 317.5, toS: 14 * hourS },
  { query: `metric ${metric} | increase 10m | sum by s, bucket(1h)`, fromS: 0, toS: 24 * hourS },
  { query: `metric ${metric} | increase | sum by s, bucket(2h)`, fromS: 5000, toS: 28 * hourS },
  { query: `metric ${metric} | delta | sum by s, bucket(15m)`, fromS: 1111, toS: 24 * hourS },
  { query: `metric ${metric} | where s != "s1" | increase | max by bucket(1h)`, fromS: 0, toS: 24 * hourS },
]);

describe('an answer from roll-ups equals that from points', () => {
  it.each(questions)('$query, $fromS to $toS', async (asked) => {
    expectSame(await both(asked));
  });
});

it('is what the query gateway asks', async () => {
  const seen: string[] = [];
  const { open } = store.store;
  const gateway = testGateway({
    ...store.store,
    open: (sql, options) => {
      seen.push(sql);
      return open(sql, options);
    },
  });
  const asked = { query: 'metric cumulative | rate | sum by s, bucket(1h)', fromS: 0, toS: 24 * hourS };
  const plan = compiled(asked);
  const question = { oql: asked.query, window: plan.reach, limit: 10_000 };
  const { rows } = await gateway.ask(place, question, { lane: 'interactive', signal: new AbortController().signal });
  expect(rows.length).toBeGreaterThan(100);
  expect(seen.at(-1)).toContain('metric_rollups');
  // Another environment, of which nothing is rolled up, has neither points nor roll-ups.
  const elsewhere = { ...place, environment: 'staging' };
  expect(await rollUpsOf(plan, elsewhere)).toEqual([]);
});

it('reads points where roll-ups cannot answer exactly', async () => {
  const read = (query: string, toS = 24 * hourS) => {
    const asked = { query, fromS: 0, toS };
    return rollUpsOf(compiled({ ...asked, query: 'metric cumulative | increase | sum by s' })).then((rollUps) =>
      compiled(asked, rollUps).sql.includes('metric_rollups'),
    );
  };
  expect(await read('metric cumulative | increase | sum by bucket(1h)')).toBe(true);
  expect(await read('metric cumulative | increase | sum by bucket(1m)')).toBe(false);
  expect(await read('metric cumulative | increase 7m | sum by bucket(1h)')).toBe(false);
  expect(await read('metric cumulative | where value > 3 | increase | sum by bucket(1h)')).toBe(false);
  expect(await read('metric cumulative | offset 1h | increase | sum by bucket(1h)')).toBe(false);
  expect(await read('metric cumulative | increase | sum by bucket(1h)', 6 * hourS)).toBe(false);
  // Beside many points, slots cost more than they save.
  const half = [{ metric: 'cumulative', hours: [[startS / hourS, startS / hourS + 12]] }] as const;
  const asked = { query: 'metric cumulative | increase | sum by s', fromS: 0, toS: 24 * hourS };
  expect(compiled(asked, half).sql).not.toContain('metric_rollups');
});

it('reads points of hours that got late points, and rolls them up again', async () => {
  const asked = { query: 'metric cumulative | increase | sum by s, bucket(1h)', fromS: 0, toS: 30 * hourS };
  const plan = compiled(asked);
  const before = await rollUpsOf(plan);
  expect(before).toEqual([{ metric: 'cumulative', hours: [[startS / hourS - 1, startS / hourS + 30]] }]);
  await insert(2);
  const during = await rollUpsOf(plan);
  expect(during).toEqual([
    {
      metric: 'cumulative',
      hours: [
        [startS / hourS - 1, startS / hourS + 10],
        [startS / hourS + 13, startS / hourS + 30],
      ],
    },
  ]);
  expectSame({ points: await answerOf(plan), rollUps: await answerOf(compiled(asked, during)) });
  // Just after a roll-up, late points wait for more of them.
  await rollUp(nowMs + 60_000);
  expect(await rollUpsOf(plan)).toEqual(during);
  await rollUp(nowMs + 24 * 3_600_000);
  expect(await rollUpsOf(plan)).toEqual(before);
  expectSame(await both(asked));
  await store.store.command('OPTIMIZE TABLE metric_rollups FINAL');
  expectSame(await both(asked));
});

it('rolls up what an earlier version stored without counts by hour', async () => {
  const asked = { query: 'metric cumulative | increase | sum by s, bucket(1h)', fromS: 0, toS: 30 * hourS };
  const before = await rollUpsOf(compiled(asked));
  await store.store.command('ALTER TABLE metric_points DROP PROJECTION by_hour');
  for (const table of ['metric_rollups', 'metric_rollup_hours']) await store.store.command(`TRUNCATE TABLE ${table}`);
  expect(await rollUpsOf(compiled(asked))).toEqual([]);
  for (const statement of metricRollUps0018.statements)
    await store.store.command(statement, { settings: { mutations_sync: 1 } });
  const [parts] = await store.store.queryRows<{ all: number; counted: number }>(
    `SELECT toFloat64(count()) AS all, toFloat64(countIf(has(projections, 'by_hour'))) AS counted FROM system.parts
     WHERE active AND database = currentDatabase() AND table = 'metric_points'`,
  );
  expect(parts?.counted).toBe(parts?.all);
  await rollUp();
  expect(await rollUpsOf(compiled(asked))).toEqual(before);
  expectSame(await both(asked));
});
