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
