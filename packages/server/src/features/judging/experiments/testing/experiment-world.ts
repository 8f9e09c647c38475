import { afterAll, beforeAll, expect } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../../testing/telemetry-world.ts';

/** Targeting of a flag that is on and serves the control to everybody. */
export const controlForAll = {
  enabled: true,
  off_variant: 'false',
  targets: [],
  rules: [],
  fallthrough: { variant: 'false' },
};

/** What tests of experiments share: a tenant with the metric `bought`, and steps to an experiment with units. */
export function useExperiments() {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const metric = {
      key: 'bought',
      name: 'Bought',
      kind: 'conversion',
      source: 'logs | where body == "bought"',
      unit: 'user.id',
    };
    expect((await ada.post(`${ada.project}/metrics`, metric)).status).toBe(201);
  });
  afterAll(() => world?.stop());

  const experiments = () => `${ada.project}/experiments`;
  const flagPath = (key: string, environment = 'production') =>
    `${ada.project}/environments/${environment}/flags/${key}`;
  const timeOf = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');

  async function newFlag(key: string, environment = 'production') {
    const created = await ada.post(`${ada.project}/flags`, { key, name: key, kind: 'boolean' });
    expect(created.status, created.text).toBe(201);
    const { version } = (await ada.get(flagPath(key, environment))).data;
    const written = await ada.put(flagPath(key, environment), { ...controlForAll, version });
    expect(written.status, written.text).toBe(200);
    return key;
  }
  const draftOf = (flag: string, change: object = {}) => ({
    key: flag,
    name: flag,
    flag,
    environment: 'production',
    control: 'false',
    variants: [
      { variant: 'false', weight: 50_000 },
      { variant: 'true', weight: 50_000 },
    ],
    metrics: { goals: ['bought'] },
    analysis: { engine: 'frequentist', alpha: 0.05, sequential: false },
    ...change,
  });
  async function newDraft(flag: string, change: object = {}) {
    const created = await ada.post(experiments(), draftOf(await newFlag(flag), change));
    expect(created.status, created.text).toBe(201);
    return created.data as { id: string; version: number };
  }
  async function running(flag: string, change: object = {}) {
    const { id } = await newDraft(flag, change);
    const started = await ada.post(`${experiments()}/${id}/start`);
    expect(started.status, started.text).toBe(200);
    return { id, startedAt: Date.parse(started.data.started_at) };
  }
  /** A running experiment is one of few that others are scanned against. */
  async function stop(...ids: readonly string[]) {
    for (const id of ids) expect((await ada.post(`${experiments()}/${id}/stop`)).status).toBe(200);
  }
  const codeOf = (answer: { status: number; json: { error?: { code: string } } }) => [
    answer.status,
    answer.json.error?.code,
  ];

  /** Exposures of units at a time, and the logs of those that bought. */
  async function expose(
    flag: string,
    at: number,
    units: readonly { unit: string; variant: string; bought?: boolean }[],
    { tracked = true } = {},
  ) {
    const place = { ...ada.numbers, environment: 'production', retention_days: 30 };
    const report = {
      ...place,
      time: timeOf(at),
      flag,
      reason: 'split',
      version: '1',
      tracked,
      source: 'server',
      evaluations: 1,
    };
    await world.insert(
      'flag_events',
      units.map(({ unit, variant }) => ({ ...report, unit, variant })),
    );
    const buyers = units.filter(({ bought }) => bought === true);
    if (buyers.length > 0)
      await world.insert(
        'logs',
        buyers.map(({ unit }) => ({
          ...place,
          time: timeOf(at),
          body: 'bought',
          string_attributes: { 'user.id': unit },
        })),
      );
  }
  const arms = (flag: string, n: number, share: { readonly [variant: string]: number }) =>
    Object.entries(share).flatMap(([variant, bought]) =>
      Array.from({ length: n }, (_, i) => ({ unit: `${flag}-${variant}-${i}`, variant, bought: i < bought * n })),
    );

  return {
    /** Known once the tests run. */
    get world() {
      return world;
    },
    get ada() {
      return ada;
    },
    experiments,
    flagPath,
    newFlag,
    draftOf,
    newDraft,
    running,
    stop,
    codeOf,
    expose,
    arms,
  };
}
