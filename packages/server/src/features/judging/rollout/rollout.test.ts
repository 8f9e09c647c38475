import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { sharedTestServer } from '../../../testing/test-server.ts';
import { intendedOf, noteOf, stepOf } from './rules.ts';

let world: TelemetryWorld;
beforeAll(async () => {
  world = await startTelemetryWorld();
});
afterAll(() => world?.stop());

/** An hour ago, far from what the server itself writes now. */
const at = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
const timeOf = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
const window = `from=${at - 60_000}&to=${at + 600_000}`;

async function flag(key: string): Promise<string> {
  const { ada } = world;
  expect((await ada.post(`${ada.project}/flags`, { key, name: key, kind: 'boolean' })).status).toBe(201);
  const path = `${ada.project}/environments/production/flags/${key}`;
  const { version } = (await ada.get(path)).data;
  const half = [
    { variant: 'true', weight: 50_000 },
    { variant: 'false', weight: 50_000 },
  ];
  const body = {
    enabled: true,
    off_variant: 'false',
    fallthrough: { rollout: { weights: half, tracked: true } },
    version,
  };
  const written = await ada.put(path, body);
  expect(written.status, written.text).toBe(200);
  return String(written.data.flag_version);
}

interface Evaluation {
  readonly unit?: string;
  readonly variant: string;
  readonly seconds?: number;
  readonly trace?: string;
  readonly source?: 'server' | 'otlp';
  readonly tracked?: boolean;
}

async function evaluations(key: string, version: string, rows: readonly Evaluation[]) {
  await world.insert(
    'flag_events',
    rows.map(({ unit = '', variant, seconds = 0, trace, source = 'server', tracked = true }) => ({
      ...world.ada.numbers,
      environment: 'production',
      retention_days: 30,
      time: timeOf(at + seconds * 1_000),
      flag: key,
      variant,
      reason: 'split',
      version,
      unit,
      tracked,
      source,
      evaluations: 1,
      ...(trace !== undefined && { trace_id: trace.padStart(16, '-') }),
    })),
  );
}

const read = async (key: string, more = '') => {
  const { ada } = world;
  const answer = await ada.get(`${ada.project}/environments/production/flags/${key}/rollout?${window}${more}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.data;
};
interface Variant {
  variant: string;
}
const of = (data: { variants: Variant[] }, name: string) => data.variants.find(({ variant }) => variant === name);

describe('the rollout of a flag', () => {
  it('shows what was served, to how many units, and what their requests were like', async () => {
    const version = await flag('shown');
    await evaluations('shown', version, [
      { unit: 'a', variant: 'true', trace: 'a' },
      { unit: 'a', variant: 'true', seconds: 70, trace: 'a2' },
      { unit: 'b', variant: 'true', trace: 'b' },
      { unit: 'c', variant: 'false', trace: 'c' },
      { unit: 'both', variant: 'true' },
      { unit: 'both', variant: 'false', seconds: 5 },
      // The client reports what the server has counted: once.
      { unit: 'c', variant: 'false', trace: 'c', source: 'otlp' },
    ]);
    const span = (trace: string, failed: boolean, ms: number) => ({
      ...world.ada.numbers,
      environment: 'production',
      retention_days: 30,
      time: timeOf(at),
      service: 'shop',
      name: 'GET /',
      kind: 'server',
      status: failed ? 'error' : 'ok',
      duration: ms * 1_000_000,
      trace_id: trace.padStart(16, '-'),
    });
    await world.insert('spans', [
      span('a', true, 40),
      span('a2', false, 10),
      span('b', true, 30),
      span('c', false, 20),
    ]);
    const data = await read('shown', '&metric=error_rate');
    expect(data).toMatchObject({ evaluations: 6, units: 4, crossed_units: 1, note: null, step_seconds: 10 });
    expect(data.crossed_examples).toEqual([{ unit: 'both', variants: ['false', 'true'] }]);
    expect(of(data, 'true')).toMatchObject({
      evaluations: 4,
      units: 3,
      intended: 0.5,
      requests: 3,
      errors: 2,
      error_rate: 2 / 3,
      p50_ms: 30,
      p95_ms: 40,
      metric: { value: 2 / 3, units: 2 },
    });
    expect(of(data, 'false')).toMatchObject({
      units: 2,
      errors: 0,
      p50_ms: 20,
      metric: { value: 0, units: 1 },
    });
    expect(data.sample_ratio).toMatchObject({ ok: true, observed: { true: 2, false: 1 }, crossed: 1 });
    expect(data.reasons).toEqual([{ reason: 'split', evaluations: 6 }]);
    expect(data.versions).toMatchObject([{ version, evaluations: 6 }]);
    const units = data.unit_series as { units: number }[];
    expect(units.reduce((sum, one) => sum + one.units, 0)).toBe(4);
  });

  it('says when there are more changes of the flag than it shows', async () => {
    const { ada } = world;
    await flag('busy');
    const path = `${ada.project}/environments/production/flags/busy`;
    const now = async (from: string) => (await ada.get(`${path}/rollout?from=${from}&to=now%2B1m`)).data;
    expect(await now('now-1h')).toMatchObject({
      changes: [{ kind: 'targeting' }, { kind: 'created' }],
      changes_truncated: false,
    });
    const server = await sharedTestServer();
    await sql`INSERT INTO flag_history (SELECT (jsonb_populate_record(h, jsonb_build_object('id', gen_random_uuid()))).*
      FROM flag_history AS h, generate_series(1, 200) WHERE h.id = ${(await now('now-1h')).changes[0].id})`.execute(
      server.db,
    );
    const many = await now('now-1h');
    expect([many.changes.length, many.changes_truncated]).toEqual([200, true]);
    // What is outside of the window takes no place.
    expect(await now('now')).toMatchObject({ changes: [], changes_truncated: false });
  });

  it('fails the check of a split in which one arm gets too few units', async () => {
    const version = await flag('unbalanced');
    const units = (variant: string, n: number) =>
      Array.from({ length: n }, (_, i) => ({ unit: `${variant}-${i}`, variant }));
    await evaluations('unbalanced', version, [...units('true', 60), ...units('false', 240)]);
    expect((await read('unbalanced')).sample_ratio).toMatchObject({ ok: false, expected: { true: 150, false: 150 } });
  });

  it('checks the split by tracked exposures of the version that is served now', async () => {
    const version = await flag('partly');
    await evaluations('partly', version, [
      { unit: 'a', variant: 'true' },
      { unit: 'b', variant: 'false' },
      { unit: 'targeted', variant: 'true', tracked: false },
      { unit: 'moved', variant: 'false', tracked: false },
      { unit: 'moved', variant: 'true', seconds: 20 },
      { unit: 'both', variant: 'true', seconds: 1 },
      { unit: 'both', variant: 'false', seconds: 30 },
    ]);
    await evaluations('partly', 'before', [
      { unit: 'a', variant: 'false', seconds: 10 },
      { unit: 'early', variant: 'false', seconds: 10 },
    ]);
    const data = await read('partly');
    expect(data).toMatchObject({ units: 6, crossed_units: 3 });
    // The latest first.
    expect(data.crossed_examples).toEqual(
      ['both', 'a', 'moved'].map((unit) => ({ unit, variants: ['false', 'true'] })),
    );
    expect(data.sample_ratio).toMatchObject({ observed: { true: 2, false: 1 }, crossed: 1 });
    const ofUnits = (variant: string) => data.unit_series.filter((one: Variant) => one.variant === variant);
    expect([ofUnits('true'), ofUnits('false')]).toMatchObject([[{ units: 3 }], [{ units: 2 }, { units: 1 }]]);
  });

  it('explains why there are no units', async () => {
    await flag('unseen');
    expect(await read('unseen')).toMatchObject({
      evaluations: 0,
      units: 0,
      note: expect.stringMatching(/No evaluation.*addHooks/),
    });
    const unknown = await world.ada.get(`${world.ada.project}/environments/production/flags/nothing/rollout`);
    expect([unknown.status, unknown.json.error.code]).toEqual([404, 'SVC-4001']);
    expect((await world.eve.get(`${world.eve.project}/environments/production/flags/shown/rollout`)).status).toBe(404);
  });
});

describe('what was intended', () => {
  it('is the split that is served to everyone else; what is untracked is outside of the check', () => {
    expect(intendedOf({ variant: 'a' })).toEqual({ shares: { a: 1 }, tracked: undefined });
    const weights = [
      { variant: 'b', weight: 10_000 },
      { variant: 'a', weight: 40_000, untracked: true },
      { variant: 'a', weight: 10_000 },
      { variant: 'a', weight: 40_000, untracked: true },
    ];
    expect(intendedOf({ rollout: { weights, tracked: true } })).toEqual({
      shares: { b: 0.1, a: expect.closeTo(0.9, 12) },
      tracked: { b: 0.1, a: 0.1 },
    });
    expect(intendedOf({ rollout: { weights } }).tracked).toBeUndefined();
  });

  it('is charted in steps that fit the window', () => {
    expect(
      [60_000, 3_600_000, 86_400_000, 90 * 86_400_000, 4_000 * 86_400_000].map((ms) => stepOf(ms) / 1_000),
    ).toEqual([10, 60, 900, 86_400, 34 * 86_400]);
    expect(noteOf({ evaluations: 5, units: 0 })).toMatch(/targetingKey/);
  });
});
