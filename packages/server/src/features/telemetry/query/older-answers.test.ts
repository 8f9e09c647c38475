import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { until } from '../../../testing/test-client.ts';

describe('a query that accepts an older answer', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
  });
  afterAll(() => world?.stop());

  const hour = 3_600_000;
  const to = Math.floor(Date.now() / hour) * hour;
  const add = (tenant: TelemetryTenant, body: string) =>
    world.insert('logs', [
      {
        ...{ workspace: tenant.numbers.workspace, project: tenant.numbers.project, environment: 'production' },
        ...{ retention_days: 30, time: new Date(to - 1).toISOString().replace('T', ' ').replace('Z', ''), body },
      },
    ]);
  const ask = async (headers: Record<string, string> = {}, tenant = ada, from = to - hour) => {
    const query = { query: 'logs | stats n=count()', from, to };
    const { data, json, headers: answered } = await tenant.post(`${tenant.workspace}/query`, query, headers);
    return { n: data.rows[0][0], age: answered.get('age'), ageMs: json.meta.age_ms };
  };
  const older = { 'cache-control': 'max-age=300' };

  it('gets it with its age; any other query gets the current data', async () => {
    await add(ada, 'first');
    expect(await ask(older)).toMatchObject({ n: 1, age: '0' });
    await add(ada, 'second');
    const kept = await ask(older);
    expect(kept).toMatchObject({ n: 1, age: expect.stringMatching(/^\d+$/) });
    expect(kept.ageMs).toBeGreaterThan(0);
    expect(await ask()).toEqual({ n: 2, age: null, ageMs: undefined });
    expect(await ask({ 'cache-control': 'no-cache' })).toMatchObject({ n: 2 });
    expect(await ask({ 'cache-control': 'max-age=0' })).toMatchObject({ n: 2 });
    // Answers to queries that do not accept an older one are not cached either.
    expect(await ask(older)).toMatchObject({ n: 1 });
  });

  it('gets it also when its window ends in the future, where its statement contains the present time', async () => {
    const query = 'logs | stats n=count(), rate=count()/window by bucket(3h)';
    const asked = { query, from: to - 3 * hour, to: to + 24 * hour };
    const rates = async () => (await ada.post(`${ada.workspace}/query`, asked, older)).data.rows;
    const first = await rates();
    await add(ada, 'third');
    expect(await rates()).toEqual(first);
  });

  it('never gets one of another window or workspace', async () => {
    expect(await ask(older, ada, to - 2 * hour)).toMatchObject({ n: 3 });
    expect(await ask(older, world.eve)).toMatchObject({ n: 0 });
  });

  it("is counted in the server's metrics", async () => {
    const read = async () => {
      const metrics = await (await fetch(`${world.base}/internal/metrics`)).text();
      const of = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
      const lanes = ['interactive', 'dashboard', 'alert', 'background', 'lookup'];
      return {
        hits: of('fanion_query_cache_hits_total'),
        misses: of('fanion_query_cache_misses_total'),
        bytes: of('fanion_query_cache_bytes'),
        running: lanes.map((lane) => of(`fanion_queries_running\\{lane="${lane}"\\}`)),
      };
    };
    /** What one query adds; alerts and jobs of other workspaces on this server may ask between the readings too. */
    const adds = async (query: () => Promise<unknown>, counts: { hits: number; misses: number }) =>
      until(async () => {
        const before = await read();
        await query();
        const after = await read();
        return (
          after.bytes > 0 &&
          after.hits - before.hits === counts.hits &&
          after.misses - before.misses === counts.misses &&
          after.running.every((count) => count === 0)
        );
      });
    let hours = 2;
    await adds(() => ask(older), { hits: 1, misses: 0 });
    await adds(() => ask(older, ada, to - ++hours * hour), { hits: 0, misses: 1 });
    await adds(() => ask(), { hits: 0, misses: 0 });
  });
});
