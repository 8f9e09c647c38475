import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testClient, until } from '../../../testing/test-client.ts';

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
    const exemplar = {
      ...{ timeUnixNano: nanos(now - 500), asDouble: 7, traceId: '0af7651916cd43dd8448eb211c80319c' },
      ...{ spanId: 'b7ad6b7169203331', filteredAttributes: [text('user.id', 'u1')] },
    };
    const requests = [120_000, 60_000, 0].map((ago, i) => ({
      ...at(ago),
      asInt: String(i * 30),
      attributes: [text('http.route', '/cart')],
      exemplars: i === 2 ? [exemplar] : [],
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
    expect((await get('status/tsdb', { limit: '2' })).json.data).toMatchObject({
      headStats: { numSeries: 3 },
      seriesCountByMetricName: [
        { name: 'http.server.duration', value: 1 },
        { name: 'http.server.requests', value: 1 },
      ],
    });
    const none = await get('query_exemplars', { query: 'test', start: String(now - 60_000), end: String(now) });
    expect(none.json).toEqual({ status: 'success', data: [] });
    expect((await get('labels', { customQueryParameter: 'x' })).status).toBe(200);
  });

  it('evaluates an expression at one time, by the translated name and by the one that was sent', async () => {
    const time = String(now / 1000);
    const rate = await form('query', { query: 'sum by (http_route) (rate(http_server_requests_total[5m]))', time });
    expect(rate.json.data).toEqual({
      resultType: 'vector',
      result: [{ metric: { http_route: '/cart' }, value: [now / 1000, expect.any(String)] }],
    });
    // 60 in the range; before its first sample, which is 0, a counter cannot have grown.
    expect(Number(rate.json.data.result[0].value[1])).toBeCloseTo(60 / 300, 10);
    const sent = await get('query', { query: '{"http.server.requests", http_route="/cart"}', time });
    expect(sent.json.data.result).toEqual([
      {
        metric: expect.objectContaining({ __name__: 'http.server.requests', job: 'shop/cart' }),
        value: [now / 1000, '60'],
      },
    ]);
    const quantile = 'histogram_quantile(0.5, sum by (le) (http_server_duration_seconds_bucket))';
    expect((await form('query', { query: quantile, time })).json.data.result[0].value[1]).toBe('0.5');
    const selected = (await form('query', { query: 'http_server_requests_total[1m]', time })).json.data;
    expect(selected.result[0].values).toEqual([[now / 1000, '60']]);
  });

  it('evaluates an expression over time', async () => {
    const window = { start: String((now - 120_000) / 1000), end: String(now / 1000), step: '60' };
    const { json } = await form('query_range', { query: 'http_server_requests_total * 2', ...window });
    expect(json.data.resultType).toBe('matrix');
    expect(json.data.result[0].values.map(([, value]: [number, string]) => value)).toEqual(['0', '60', '120']);
    const limited = await form('query_range', { query: '{job="shop/cart"}', ...window, limit: '1' });
    expect(limited.json).toMatchObject({
      data: { result: [{}] },
      warnings: expect.arrayContaining(['results truncated due to limit']),
    });
  });

  it('answers an expression of more selectors than a workspace may have in its queue', async () => {
    const selectors = Array.from({ length: 60 }, (_, at) => `http_server_requests_total{x!="${at}"}`);
    const answer = await form('query', { query: selectors.join(' + '), time: String(now / 1000) });
    expect([answer.status, answer.json.data?.result?.[0]?.value[1]], answer.text).toEqual([200, '3600']);
  });

  it('answers the health check of Grafana, which is of 1970', async () => {
    const { json } = await form('query', { query: '1+1', time: '4' });
    expect(json).toEqual({ status: 'success', data: { resultType: 'scalar', result: [4, '2'] } });
  });

  it('lists the exemplars of the selectors in an expression', async () => {
    const window = { start: String(now / 1000 - 60), end: String(now / 1000) };
    const query = 'rate(http_server_requests_total{http_route=~"/c.*"}[5m])';
    expect((await form('query_exemplars', { query, ...window })).json.data).toEqual([
      {
        seriesLabels: expect.objectContaining({ __name__: 'http_server_requests_total', http_route: '/cart' }),
        exemplars: [
          {
            labels: { trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331', user_id: 'u1' },
            value: '7',
            timestamp: (now - 500) / 1000,
          },
        ],
      },
    ]);
  });

  it('warns of a metric that PromQL cannot read', async () => {
    const { json } = await form('query', { query: 'steps_total' });
    expect(json.data.result).toEqual([]);
    expect(json.warnings).toEqual([
      'the metric steps has delta temporality, which PromQL cannot read: query it with OQL',
    ]);
  });

  it('records queries in the history of the workspace', async () => {
    await form('query', { query: 'vector(42)' });
    await until(async () => {
      const { data } = await ada.get(`${ada.workspace}/query-history?everyone=true`);
      return data.some((run: { query: string; status: string; rows: number }) => {
        return run.query === 'vector(42)' && run.status === 'ok' && run.rows === 1;
      });
    });
  });

  it('formats an expression', async () => {
    expect((await get('format_query', { query: 'sum( up )by(job)' })).json.data).toBe('sum by (job) (up)');
  });

  it('reports what is wrong in the words of Prometheus', async () => {
    const wrong = await form('query', { query: 'sum(' });
    expect([wrong.status, wrong.json.status, wrong.json.errorType]).toEqual([400, 'error', 'bad_data']);
    const step = await form('query_range', { query: '1', start: '0', end: '1', step: '0' });
    expect(step.json.error).toContain('invalid parameter "step": zero or negative');
  });
});
