import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testClient, until } from '../../../testing/test-client.ts';

const door = '/prometheus/api/v1';
let world: TelemetryWorld;
beforeAll(async () => {
  world = await startTelemetryWorld();
  const place = { project: 'default' };
  const alert = {
    ...{ ...place, name: 'Always', query: 'logs | stats value=count()', every: '1s', labels: { team: 'shop' } },
    ...{ condition: { op: '>=', threshold: 0 }, annotations: { summary: '{{ labels.alertname }}: {{ value }}' } },
  };
  const recording = { ...place, name: 'shop:logs', query: 'logs | stats value=count()', every: '1m', group: 'shop' };
  expect((await world.ada.post(`${world.ada.workspace}/alert-rules`, alert)).status).toBe(201);
  const recorded = await world.ada.post(`${world.ada.workspace}/recording-rules`, recording);
  expect(recorded.status, recorded.text).toBe(201);
});
afterAll(() => world?.stop());

async function clientOf(permissions: string[], tenant = world.ada) {
  return testClient(world.base, { bearer: await tenant.token(permissions, {}) });
}
const names = (groups: { rules: { name: string }[] }[]) => groups.flatMap(({ rules }) => rules.map(({ name }) => name));

describe('rules and alerts in the Prometheus API', () => {
  it('are those of the workspace, with the alerts that fire', async () => {
    const client = await clientOf(['telemetry:query', 'alerts:read', 'dashboards:read']);
    const firing = await until(async () => {
      const { json } = await client.get(`${door}/rules`);
      return json.data.groups[0]?.rules[0]?.state === 'firing' && json;
    });
    expect(names(firing.data.groups)).toEqual(['Always', 'shop:logs']);
    expect(firing).not.toHaveProperty('warnings');
    const [alert] = firing.data.groups[0].rules[0].alerts;
    expect(alert).toMatchObject({
      ...{ labels: { alertname: 'Always', team: 'shop' }, state: 'firing', value: '0e+00' },
      annotations: { summary: 'Always: 0' },
    });
    expect((await client.get(`${door}/alerts`)).json.data.alerts).toMatchObject([{ labels: { alertname: 'Always' } }]);
    const recorded = await client.get(`${door}/rules?type=record&exclude_alerts=true`);
    expect(names(recorded.json.data.groups)).toEqual(['shop:logs']);
  });

  it('are the metrics ALERTS and ALERTS_FOR_STATE', async () => {
    const client = await clientOf(['telemetry:query', 'alerts:read']);
    const query = async (text: string) => (await client.get(`${door}/query?query=${encodeURIComponent(text)}`)).json;
    const firing = await until(async () => {
      const { data } = await query('ALERTS{alertstate="firing",team=~"sh.p"}');
      return data.result.length > 0 && data.result;
    });
    const labels = { alertname: 'Always', team: 'shop' };
    expect(firing).toEqual([
      { metric: { __name__: 'ALERTS', alertstate: 'firing', ...labels }, value: [expect.any(Number), '1'] },
    ]);
    expect((await query('ALERTS{alertstate="pending"}')).data.result).toEqual([]);
    const [since] = (await query('time() - ALERTS_FOR_STATE')).data.result;
    expect(Number(since.value[1])).toBeGreaterThanOrEqual(0);
    expect(Number(since.value[1])).toBeLessThan(300);
    const times = { start: String(Date.now() / 1000 - 3_600), end: String(Date.now() / 1000), step: '60' };
    const range = await client.get(`${door}/query_range?${new URLSearchParams({ query: 'ALERTS', ...times })}`);
    const steps = range.json.data.result[0].values;
    expect(steps.every(([, value]: [number, string]) => value === '1')).toBe(true);
    // It did not fire an hour ago.
    expect(steps.length).toBeLessThan(61);

    const series = await client.get(`${door}/series?match[]=ALERTS`);
    expect(series.json.data).toEqual([{ __name__: 'ALERTS', alertstate: 'firing', ...labels }]);
    expect((await client.get(`${door}/labels?match[]=ALERTS`)).json.data).toEqual([
      ...['__name__', 'alertname', 'alertstate', 'team'],
    ]);
    expect((await client.get(`${door}/label/alertname/values?match[]=ALERTS`)).json.data).toEqual(['Always']);
    const listed = await client.get(`${door}/label/__name__/values?match[]={__name__=~"ALERTS.*"}`);
    expect(listed.json.data).toEqual(['ALERTS', 'ALERTS_FOR_STATE']);
    expect((await client.get(`${door}/metadata?metric=ALERTS`)).json.data.ALERTS).toMatchObject([{ type: 'gauge' }]);
  });

  it('are the metrics of nobody else, and of no token that may not see them', async () => {
    const query = async (permissions: string[], tenant = world.ada) =>
      (await (await clientOf(permissions, tenant)).get(`${door}/query?query=ALERTS`)).json;
    expect((await query(['telemetry:query', 'alerts:read'], world.eve)).data.result).toEqual([]);
    const refused = await query(['telemetry:query']);
    expect([refused.data.result, refused.warnings]).toEqual([[], ['ALERTS is empty: it needs alerts:read']]);
  });

  it('are left out with a warning for a token that may not see them', async () => {
    const client = await clientOf(['telemetry:query']);
    const { json } = await client.get(`${door}/rules`);
    expect(json.data).toEqual({ groups: [] });
    expect(json.warnings).toEqual([
      'alerts and their rules are left out: they need alerts:read',
      'recording rules are left out: they need dashboards:read',
    ]);
    const alerts = await client.get(`${door}/alerts`);
    expect([alerts.json.data, alerts.json.warnings]).toEqual([{ alerts: [] }, [json.warnings[0]]]);
  });

  it('are those of nobody else', async () => {
    const eve = await clientOf(['telemetry:query', 'alerts:read', 'dashboards:read'], world.eve);
    expect((await eve.get(`${door}/rules`)).json).toEqual({ status: 'success', data: { groups: [] } });
    expect((await eve.get(`${door}/alerts`)).json).toEqual({ status: 'success', data: { alerts: [] } });
  });

  it('are refused for what cannot be asked of them', async () => {
    const client = await clientOf(['telemetry:query']);
    for (const query of ['type=all', 'match[]=up']) {
      const { status, json } = await client.get(`${door}/rules?${query}`);
      expect([status, json.errorType]).toEqual([400, 'bad_data']);
    }
  });
});
