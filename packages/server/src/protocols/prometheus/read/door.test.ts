import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testClient } from '../../../testing/test-client.ts';

const door = '/prometheus/api/v1';

describe('the Prometheus API', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let token: string;
  const now = Math.floor(Date.now() / 1000) * 1000;

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    token = await ada.token(['telemetry:query']);
    const at = (ago: number) => ({ startTimeUnixNano: nanos(now - 900_000), timeUnixNano: nanos(now - ago) });
    const requests = [120_000, 60_000, 0].map((ago, i) => ({
      ...at(ago),
      asInt: String(i * 30),
      attributes: [text('http.route', '/cart')],
    }));
    const durations = [60_000, 0].map((ago, i) => ({
      ...at(ago),
      count: String(10 * (i + 1)),
      sum: 4 * (i + 1),
      explicitBounds: [0.5, 1],
      bucketCounts: [String(5 * (i + 1)), String(3 * (i + 1)), String(2 * (i + 1))],
      attributes: [text('http.route', '/cart')],
    }));
    const cumulative = { aggregationTemporality: 2 };
    await ada.ingest(
      'metrics',
      metricsRequest(
        [
          { name: 'http.server.requests', unit: '1', sum: { ...cumulative, isMonotonic: true, dataPoints: requests } },
          { name: 'http.server.duration', unit: 's', histogram: { ...cumulative, dataPoints: durations } },
          { name: 'steps', unit: '1', sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints: requests } },
        ],
        [text('service.namespace', 'shop'), text('service.name', 'cart'), text('service.instance.id', 'a1')],
      ),
    );
    await ada.counted('metric http.server.requests | stats n=count()', 3);
  }, 120_000);
  afterAll(() => world?.stop());

  const basic = () => ({ authorization: `Basic ${Buffer.from(`grafana:${token}`).toString('base64')}` });
  const get = (path: string, query: Record<string, string> = {}) =>
    testClient(world.base).get(`${door}/${path}?${new URLSearchParams(query)}`, basic());
  const form = (path: string, fields: Record<string, string>) =>
    testClient(world.base).post(`${door}/${path}`, new URLSearchParams(fields).toString(), {
      ...basic(),
      'content-type': 'application/x-www-form-urlencoded',
    });

  it('takes a token as Bearer or as the password of Basic, and nobody without one', async () => {
    expect((await get('labels')).status).toBe(200);
    expect((await testClient(world.base, { bearer: token }).get(`${door}/labels`)).status).toBe(200);
    const none = await testClient(world.base).get(`${door}/labels`);
    expect([none.status, none.json.status, none.json.errorType]).toEqual([401, 'error', 'unauthorized']);
    const ingestOnly = await testClient(world.base, { bearer: await ada.token(['telemetry:ingest']) }).get(
      `${door}/labels`,
    );
    expect([ingestOnly.status, ingestOnly.json.error]).toEqual([403, 'permission denied: telemetry:query required']);
  });

  it('reads the workspace of its token, whatever X-Scope-OrgID says', async () => {
    const eve = await world.eve.token(['telemetry:query']);
    const { json } = await testClient(world.base, { bearer: eve }).get(`${door}/label/__name__/values`, {
      'x-scope-orgid': ada.workspaceId,
    });
    expect(json).toEqual({ status: 'success', data: [] });
  });

  it('lists translated names, labels and their values', async () => {
    expect((await get('label/__name__/values')).json.data).toEqual([
      'http_server_duration_seconds_bucket',
      'http_server_duration_seconds_count',
      'http_server_duration_seconds_sum',
      'http_server_requests_total',
    ]);
    expect((await get('label/__name__/values', { limit: '1' })).json).toMatchObject({
      data: ['http_server_duration_seconds_bucket'],
      warnings: ['results truncated due to limit'],
    });
    expect((await get('labels', { 'match[]': 'http_server_requests_total' })).json.data).toEqual(
      expect.arrayContaining(['__name__', 'http_route', 'instance', 'job']),
    );
    expect((await get('label/job/values')).json.data).toEqual(['shop/cart']);
    expect((await get('label/le/values')).json.data).toEqual(['+Inf', '0.5', '1']);
    expect((await get('label/U__http_2e_route/values')).json.data).toEqual(['/cart']);
    expect((await get('label/http_route/values', { 'match[]': '{job=~"other.*"}' })).json.data).toEqual([]);
  });

  it('lists series by regexes of names and labels, which match whole', async () => {
    const { json } = await form('series', {
      'match[]': '{__name__=~"http_server_dur.*bucket", le!~"0.*", job=~"shop/.+"}',
    });
    expect(json.data.map(({ le }: { le: string }) => le).toSorted()).toEqual(['+Inf', '1']);
    expect(json.data[0]).toMatchObject({ job: 'shop/cart', instance: 'a1', http_route: '/cart' });
    expect((await form('series', { 'match[]': '{__name__=~"http_server"}' })).json.data).toEqual([]);
    expect((await form('series', {})).json).toMatchObject({ status: 'error', errorType: 'bad_data' });
  });

  it('says what a metric is', async () => {
    expect((await get('metadata', { metric: 'http_server_requests_total' })).json.data).toEqual({
      http_server_requests_total: [{ type: 'counter', help: expect.any(String), unit: '1' }],
    });
  });

  it('answers what Grafana asks when it starts', async () => {
    const info = await get('status/buildinfo');
    expect(info.json.data.version).toMatch(/^3\./);
    expect(info.json.data).not.toHaveProperty('features');
    expect((await get('rules')).json.data).toEqual({ groups: [] });
    const exemplars = await get('query_exemplars', { query: 'test', start: String(now - 60_000), end: String(now) });
    expect(exemplars.json).toEqual({ status: 'success', data: [] });
    expect((await get('labels', { customQueryParameter: 'x' })).status).toBe(200);
  });

  it('reports what is wrong in the words of Prometheus', async () => {
    const wrong = await form('query', { query: 'sum(' });
    expect([wrong.status, wrong.json.status, wrong.json.errorType]).toEqual([400, 'error', 'bad_data']);
    const step = await form('query_range', { query: '1', start: '0', end: '1', step: '0' });
    expect(step.json.error).toContain('invalid parameter "step": zero or negative');
  });
});
