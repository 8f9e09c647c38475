import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { newWorkspace } from '../../../testing/test-client.ts';

let world: TelemetryWorld;
let ada: TelemetryTenant;
beforeAll(async () => {
  world = await startTelemetryWorld();
  ada = world.ada;
});
afterAll(() => world?.stop());

const off = { enabled: true, off_variant: 'false', fallthrough: { variant: 'false' }, targets: [], rules: [] };
const path = (of: { project: string }, key: string) => `${of.project}/environments/production/flags/${key}`;

async function newFlag(key: string): Promise<void> {
  expect((await ada.post(`${ada.project}/flags`, { key, name: key, kind: 'boolean' })).status).toBe(201);
  expect((await ada.put(path(ada, key), { ...off, version: 0 })).status).toBe(200);
}
const event = (flag: string, unit: string, minutesAgo: number, variant = 'false') => ({
  workspace: ada.numbers.workspace,
  project: ada.numbers.project,
  environment: 'production',
  retention_days: 3650,
  time: new Date(Date.now() - minutesAgo * 60_000).toISOString().replace('T', ' ').replace('Z', ''),
  flag,
  variant,
  unit,
  source: 'otlp',
  evaluations: 1,
});
async function replay(key: string, change: object) {
  const answer = await ada.post(`${path(ada, key)}/replay`, { ...off, ...change });
  expect(answer.status, answer.text).toBe(200);
  return answer.data;
}

describe('the replay of a proposed targeting', () => {
  it('counts the units of the last hour that would change, and writes nothing', async () => {
    await newFlag('replayed');
    const units = Array.from({ length: 20 }, (_, n) => event('replayed', `unit-${n}`, 5 + n));
    await world.insert('flag_events', [...units, event('replayed', 'unit-1', 1), event('replayed', 'early', 70)]);
    await world.insert('flag_events', [event('replayed', '', 2), event('other', 'unit-99', 2)]);
    const data = await replay('replayed', { targets: [{ variant: 'true', values: ['unit-3', 'unit-4', 'early'] }] });
    expect(data).toMatchObject({ units: 20, replayed: 20, changed: 2, uncertain: [], skipped: 0, without_unit: 1 });
    expect(data.moves).toEqual([{ from: 'false', to: 'true', units: 2 }]);
    expect(data.examples).toEqual([
      { unit: 'unit-3', from: 'false', to: 'true' },
      { unit: 'unit-4', from: 'false', to: 'true' },
    ]);
    expect((await ada.get(path(ada, 'replayed'))).data).toMatchObject({ version: 1, targets: [] });
  });

  it('splits units as the saved targeting will', async () => {
    await newFlag('split');
    const names = Array.from({ length: 60 }, (_, n) => `unit-${n}`);
    await world.insert(
      'flag_events',
      names.map((name) => event('split', name, 5)),
    );
    const weights = [
      { variant: 'true', weight: 30_000 },
      { variant: 'false', weight: 70_000 },
    ];
    const fallthrough = { rollout: { weights } };
    const { changed } = await replay('split', { fallthrough });
    expect((await ada.put(path(ada, 'split'), { ...off, fallthrough, version: 1 })).status).toBe(200);
    const served = await Promise.all(
      names.map(
        async (targetingKey) =>
          (await ada.post(`${path(ada, 'split')}/evaluate`, { context: { targetingKey } })).data.variant,
      ),
    );
    expect(changed).toBe(served.filter((variant) => variant === 'true').length);
    expect(changed).toBeGreaterThan(5);
  });

  it('does not guess what depends on an attribute', async () => {
    await newFlag('unsure');
    await world.insert('flag_events', [event('unsure', 'ada', 5), event('unsure', 'bob', 6)]);
    const clauses = [{ attribute: 'country', op: 'in', values: ['DE'] }];
    const rules = [
      { clauses: [{ attribute: 'targetingKey', op: 'in', values: ['ada'] }], variant: 'true' },
      { clauses, variant: 'true' },
    ];
    expect(await replay('unsure', { rules })).toMatchObject({
      units: 2,
      replayed: 1,
      changed: 1,
      uncertain: [{ reads: 'country', units: 1 }],
    });
  });

  it('refuses what a write would refuse, and what belongs to others', async () => {
    await newFlag('refused');
    const invalid = await ada.post(`${path(ada, 'refused')}/replay`, { ...off, fallthrough: { variant: 'nothing' } });
    expect([invalid.status, invalid.json.error.code]).toEqual([422, 'SVC-4004']);
    expect((await world.eve.post(`${path(ada, 'refused')}/replay`, off)).status).toBe(404);
    const other = await newWorkspace(ada, 'Other');
    expect((await ada.post(`${path(other, 'refused')}/replay`, off)).json.error.code).toBe('SVC-4001');
    const steps = [{ weight: 1_000, hold: '1h' }];
    expect((await ada.post(`${path(ada, 'refused')}/ramp`, { variant: 'true', steps })).status).toBe(201);
    const ramping = await ada.post(`${path(ada, 'refused')}/replay`, { ...off, fallthrough: { variant: 'true' } });
    expect(ramping.status).toBe(409);
  });
});
