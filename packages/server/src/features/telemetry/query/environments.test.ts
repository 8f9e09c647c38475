import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testClient } from '../../../testing/test-client.ts';

describe('the parameter environment', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let id: string;
  let foreign: string;
  const idOf = async (tenant: TelemetryTenant): Promise<string> => {
    const { data } = await tenant.get(`${tenant.project}/environments`);
    return data.find(({ key }: { key: string }) => key === 'production').id;
  };
  const past = () => new Date(Date.now() - 600_000).toISOString().replace('T', ' ').replace('Z', '');
  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    id = await idOf(ada);
    foreign = await idOf(world.eve);
    const { workspace, project } = ada.numbers;
    const place = { workspace, project, environment: 'production', retention_days: 30, time: past() };
    await world.insert('logs', [{ ...place, service: 'shop', severity: 9, body: 'order placed' }]);
    await world.insert('spans', [{ ...place, service: 'shop', name: 'order', duration: 5 }]);
  });
  afterAll(() => world?.stop());

  const counted = async (scope: object, client: { post: TelemetryTenant['post'] } = ada) => {
    const answer = await client.post(`${ada.workspace}/query`, {
      query: 'logs | stats n=count()',
      from: 'now-1d',
      to: 'now+1h',
      ...scope,
    });
    return answer.status === 200 ? answer.data.rows[0][0] : answer.status;
  };

  it.each([
    ['a key', () => ({ environment: 'production' }), 1],
    ['an id', () => ({ environment: id }), 1],
    ['an id and its project', () => ({ environment: id, project: 'default' }), 1],
    ['the key of another environment', () => ({ environment: 'development' }), 0],
    ['the id of another workspace', () => ({ environment: foreign }), 404],
    ['an unknown id', () => ({ environment: '00000000-0000-7000-8000-000000000000' }), 404],
  ])('accepts %s in a query, or returns 404', async (_name, scope, expected) => {
    expect(await counted(scope())).toBe(expected);
  });

  it('returns 404 to a token that is pinned to another environment', async () => {
    const bearer = await ada.token(['telemetry:query'], { project: 'default', environment: 'production' });
    const pinned = testClient(world.base, { bearer });
    expect(await counted({}, pinned)).toBe(1);
    expect(await counted({ environment: 'production' }, pinned)).toBe(1);
    expect(await counted({ environment: 'development' }, pinned)).toBe(404);
  });

  // Ends before the current minute: the rates of the service map are of the time up to now.
  const before = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const window = `from=${before(1440)}&to=${before(5)}`;
  it.each([
    ['/fields', 'source=logs'],
    ['/log-patterns', ''],
    ['/service-map', ''],
    ['/usage', ''],
    ['/flamegraph', 'profile_type=cpu'],
    ['/exemplars', 'metric=x'],
  ])('accepts id and key alike in %s', async (path, query) => {
    const ask = async (environment: string) =>
      (await ada.get(`${ada.workspace}${path}?${window}&${query}&environment=${environment}`)).data;
    const byKey = await ask('production');
    const byId = await ask(id);
    expect(byId).toEqual(byKey);
  });

  it('accepts id and key alike in contrast', async () => {
    const ask = async (environment: string) =>
      (
        await ada.post(`${ada.workspace}/contrast`, {
          source: 'spans',
          from: 'now-1d',
          to: 'now+1h',
          selection: { where: 'name == "order"' },
          environment,
        })
      ).data;
    expect((await ask(id)).total).toEqual((await ask('production')).total);
  });

  it('accepts id and key alike in the list of services', async () => {
    const at = past();
    const { workspace, project } = ada.numbers;
    const seen = { signal: 'logs', service: 'shop', items: 1, hour: at.slice(0, 19), first_at: at, last_at: at };
    await world.insert('arrivals', [{ workspace, project, environment: 'production', ...seen }]);
    for (const environment of ['production', id]) {
      const { data } = await ada.get(`/api/v1/services?environment=${environment}`);
      expect(data.map(({ name }: { name: string }) => name)).toEqual(['shop']);
    }
  });
});
