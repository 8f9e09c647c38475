import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { until } from '../../../testing/test-client.ts';
import { testGateway } from '../../../testing/test-gateway.ts';

/** What is saved and asked later finds values inside of maps by a dotted name, as queries in Explore do. */

const hour = 3_600_000;
const inMap = 'kv.x.y == "bad"';

let world: TelemetryWorld;
beforeAll(async () => {
  world = await startTelemetryWorld();
  const thisHour = Math.floor(Date.now() / hour) * hour;
  const place = { ...world.ada.numbers, environment: 'production', retention_days: 30, service: 'mapped' };
  const rows = [-2, -1].flatMap((hours) =>
    ['bad', 'bad', 'good'].map((y) => ({
      ...place,
      time: new Date(thisHour + hours * hour + 60_000).toISOString().replace('T', ' ').replace('Z', ''),
      name: 'order',
      body: 'order',
      string_attributes: { 'user.id': 'u', 'http.method': 'POST' },
      json_attributes: { kv: JSON.stringify({ x: { y, n: 5 } }) },
    })),
  );
  await world.insert(
    'spans',
    rows.map(({ body: _, ...span }) => span),
  );
  await world.insert(
    'logs',
    rows.map(({ name: _, ...log }) => log),
  );
});
afterAll(() => world?.stop());

describe('values inside of maps', () => {
  it.each([
    ['spans', inMap],
    ['logs', inMap],
    ['spans', 'attr.kv.x.y == "bad" and kv.x.n > 4'],
    ['spans', 'http.request.method == "POST"'],
  ])('are found by an alert rule: %s where %s', async (source, condition) => {
    const rule = {
      ...{ name: 'Bad orders', project: 'default', condition: { op: '>', threshold: 0 } },
      query: `${source} | where ${condition} | stats value=count()`,
      ...{ every: '1h', window: '1h', offset: '0s', from: 'now-4h', to: 'now' },
    };
    const { data, text } = await world.ada.post(`${world.ada.workspace}/alert-rules/preview`, rule);
    expect(data?.instances, text).toHaveLength(1);
  });

  it('are found by alert rules that share a scan', async () => {
    const { workspace } = world.ada;
    const ids = new Map<string, string>();
    for (const value of ['bad', 'good', 'none']) {
      const query = `spans | where kv.x.y == "${value}" | stats value=count()`;
      const rule = { name: `Orders ${value}`, project: 'default', query, condition: { op: '>', threshold: 0 } };
      const body = { ...rule, every: '10s', window: '6h', offset: '0s' };
      const { data, text } = await world.ada.post(`${workspace}/alert-rules`, body);
      expect(data?.id, text).toBeDefined();
      ids.set(value, data.id);
    }
    for (const [value, count] of [
      ['bad', 4],
      ['good', 2],
    ] as const) {
      const list = `${workspace}/alert-instances?rule=${ids.get(value)}&state=firing`;
      const [instance] = await until(async () => {
        const { data } = await world.ada.get(list);
        return data.length > 0 ? data : undefined;
      });
      expect(instance.value).toBe(count);
    }
  });

  it('are counted by an SLO', async () => {
    const slo = {
      ...{ name: 'Good orders', project: 'default', objective: 0.9, window: { kind: 'rolling', period: '7d' } },
      indicator: { kind: 'events', source: 'spans | where kv.x.y exists', good: 'kv.x.y != "bad"' },
    };
    const { data, text } = await world.ada.post(`${world.ada.workspace}/slos`, slo);
    expect(data?.id, text).toBeDefined();
    const status = await until(async () => {
      const now = (await world.ada.get(`${world.ada.workspace}/slos/${data.id}/status?spent_by=true`)).data;
      return now.backfill.state === 'done' ? now : undefined;
    }, 180_000);
    expect(status).toMatchObject({ good: 2, total: 6, spent_by: { error: null } });
  });

  it('are recorded by a recording rule', async () => {
    const rule = {
      ...{ name: 'shop.bad_orders', project: 'default', every: '1h', offset: '1h' },
      query: `spans | where ${inMap} | stats value=count() by kv.x.n`,
    };
    const { data, text } = await world.ada.post(`${world.ada.workspace}/recording-rules/preview`, rule);
    expect(data?.steps[0], text).toMatchObject({ series: 1, points: [{ labels: { 'kv.x.n': '5' }, value: 2 }] });
  });

  it('are measured by the metric of an experiment', async () => {
    const metric = {
      ...{ key: 'orders', name: 'Orders', kind: 'sum', unit: 'user.id' },
      ...{ source: `spans | where ${inMap}`, value: 'kv.x.n' },
    };
    const asked = { environment: 'production', from: 'now-6h', to: 'now' };
    const { data, text } = await world.ada.post(`${world.ada.project}/metrics/explain`, { metric, ...asked });
    expect(data?.units, text).toMatchObject({ rows: 4, with_unit: 4 });
    expect(data.sample[0]).toMatchObject({ unit: 'u', value: 5 });
  });

  it('are found where a query reads before its window', async () => {
    const day = 24 * hour;
    const now = Math.floor(Date.now() / hour) * hour;
    const before = new Date(now - 3 * day - 60_000).toISOString().replace('T', ' ').replace('Z', '');
    const place = { ...world.ada.numbers, environment: 'production', retention_days: 30, service: 'mapped' };
    await world.insert('spans', [
      { ...place, time: before, name: 'old', json_attributes: { old: JSON.stringify({ x: 'once' }) } },
    ]);
    const scope = { ...world.ada.numbers, environment: undefined };
    const window = { fromNs: BigInt(now - hour) * 1_000_000n, toNs: BigInt(now) * 1_000_000n };
    const { rows } = await testGateway(world.store).ask(
      scope,
      {
        oql: 'spans | where old.x == "once" or name == "order" | stats n=count(old.x) by service.name | compare 3d',
        window,
        limit: 10,
      },
      { lane: 'background', signal: new AbortController().signal },
    );
    expect(rows).toEqual([['mapped', 0, 1, -1]]);
  });
});
