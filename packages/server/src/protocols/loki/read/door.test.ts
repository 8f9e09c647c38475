import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testClient } from '../../../testing/test-client.ts';

const door = '/loki/api/v1';
type Stream = { stream: Record<string, string>; values: [string, string, Record<string, unknown>?][] };
type Series = { metric: Record<string, string>; value: [number, string]; values: [number, string][] };

describe('the Loki API', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let token: string;
  const now = Math.floor(Date.now() / 60_000) * 60_000;

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    token = await ada.token(['telemetry:query']);
    const record = (i: number, body: string, severityNumber: number) => ({
      ...{ timeUnixNano: nanos(now - 60_000 * i), severityNumber, body: { stringValue: body } },
      attributes: [text('http.route', i % 2 === 0 ? '/cart' : '/pay')],
      traceId: '0af7651916cd43dd8448eb211c80319c',
    });
    const records = Array.from({ length: 10 }, (_, i) =>
      record(i, JSON.stringify({ n: i, took: `${i}ms`, msg: i === 3 ? 'timeout (a)' : 'ok' }), i === 3 ? 17 : 9),
    );
    const resource = {
      attributes: [text('service.name', 'shop'), text('k8s.pod.name', 'p-1'), text('host.name', 'h1')],
    };
    await ada.ingest('logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords: records }] }] });
    const pushed = {
      streams: [{ stream: { app: 'web' }, values: [[nanos(now), 'id=12345678901234567890 a', { user: 'u1' }]] }],
    };
    const sender = testClient(world.base, { bearer: await ada.token(['telemetry:ingest']) });
    expect((await sender.post('/loki/api/v1/push', pushed)).status).toBe(204);
    await ada.counted('logs | stats n=count()', 11);
  }, 120_000);
  afterAll(() => world?.stop());

  const basic = () => ({ authorization: `Basic ${Buffer.from(`grafana:${token}`).toString('base64')}` });
  const get = (path: string, query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    testClient(world.base).get(`${door}/${path}?${new URLSearchParams(query)}`, { ...basic(), ...headers });
  const window = { start: nanos(now - 3_600_000), end: nanos(now + 1_000) };
  const range = async (query: string, more: Record<string, string> = {}, headers = {}) => {
    const { status, json } = await get('query_range', { query, ...window, ...more }, headers);
    expect(status, `${query}: ${JSON.stringify(json)}`).toBe(200);
    return json.data;
  };
  const lines = async (query: string, more: Record<string, string> = {}): Promise<string[]> =>
    (await range(query, more)).result
      .flatMap(({ values }: Stream) => values)
      .toSorted(([a]: [string], [b]: [string]) => (a < b ? -1 : 1))
      .map(([, line]: [string, string]) => JSON.parse(line).n);
  const instant = async (query: string, time = nanos(now)): Promise<Series[]> => {
    const { status, json } = await get('query', { query, time });
    expect(status, `${query}: ${JSON.stringify(json)}`).toBe(200);
    return json.data.result;
  };
  const value = async (query: string) => Number((await instant(query))[0]?.value[1]);

  it('answers the health check of Grafana, which is of another time', async () => {
    const { json } = await get('query', { query: 'vector(1)+vector(1)', time: '4000000000', direction: 'backward' });
    expect(json.data).toMatchObject({ resultType: 'vector', result: [{ metric: {}, value: [4_000_000_000, '2'] }] });
    expect((await get('status/buildinfo')).json.version).toMatch(/^3\./);
  });

  it('requires a token, and reads only its workspace', async () => {
    const none = await testClient(world.base).get(`${door}/labels`);
    expect([none.status, none.json.errorType]).toEqual([401, 'unauthorized']);
    const eve = testClient(world.base, { bearer: await world.eve.token(['telemetry:query']) });
    expect((await eve.get(`${door}/labels`, { 'x-scope-orgid': ada.workspaceId })).json.data).toEqual([]);
    const query = new URLSearchParams({ query: '{service_name="shop"}', ...window });
    expect((await eve.get(`${door}/query_range?${query}`)).json.data.result).toEqual([]);
  });

  it('lists labels, their values and streams', async () => {
    expect((await get('labels', window)).json.data).toEqual(['app', 'k8s_pod_name', 'service_name']);
    expect((await get('label/service_name/values', window)).json.data).toEqual(['shop', 'web']);
    const chosen = { ...window, query: '{k8s_pod_name=~"x.*"}' };
    expect((await get('label/service_name/values', chosen)).json.data).toEqual([]);
    const { json } = await get('series', { ...window, 'match[]': '{service_name="shop"}' });
    expect(json.data).toEqual([{ k8s_pod_name: 'p-1', service_name: 'shop' }]);
  });

  it('selects by labels and by structured metadata, in braces and behind a pipe', async () => {
    for (const query of ['{k8s_pod_name="p-1"}', '{service_name="shop"} | k8s_pod_name="p-1"', '{host_name=~"h."}'])
      expect(await lines(query), query).toHaveLength(10);
    expect(await lines('{service_name="shop", http_route!="/cart"}')).toEqual([9, 7, 5, 3, 1]);
    expect(await lines('{service_name="shop"} | http_route="/cart" or detected_level="error"')).toEqual([
      8, 6, 4, 3, 2, 0,
    ]);
    expect(await lines('{service_name="shop", missing=""}')).toHaveLength(10);
    expect(await lines('{service_name="shop", missing!=""}')).toEqual([]);
  });

  it('has the labels and metadata that Loki push brought, and an unknown level', async () => {
    const query = '{app="web", detected_level="unknown"} | user="u1" | logfmt';
    expect((await range(query)).result).toEqual([
      {
        stream: { app: 'web', detected_level: 'unknown', id: '12345678901234567890', service_name: 'web', user: 'u1' },
        values: [[nanos(now), 'id=12345678901234567890 a']],
      },
    ]);
  });

  it('filters lines by text, which is not a pattern and has a case', async () => {
    expect(await lines('{service_name="shop"} |= "timeout (a)"')).toEqual([3]);
    expect(await lines('{service_name="shop"} |= "Timeout"')).toEqual([]);
    expect(await lines('{service_name="shop"} != `"ok"`')).toEqual([3]);
    expect(await lines('{service_name="shop"} |~ "n\\":[12],"')).toEqual([2, 1]);
    expect(await lines('{service_name="shop"} |= "timeout" or "\\"n\\":9"')).toEqual([9, 3]);
    expect(await lines('{service_name="shop"} !~ `"o."` |= "out"')).toEqual([3]);
  });

  it('filters by what parsers extract, as numbers and durations', async () => {
    expect(await lines('{service_name="shop"} | json | n > 7')).toEqual([9, 8]);
    expect(await lines('{service_name="shop"} | json | took >= 8ms and n != 9')).toEqual([8]);
    expect(await lines('{service_name="shop"} | json level="msg" | level=~"time.*"')).toEqual([3]);
    expect(await lines('{service_name="shop"} | json | n > 5', { limit: '2' })).toEqual([7, 6]);
    expect(await lines('{service_name="shop"} | json | n > 5', { limit: '2', direction: 'forward' })).toEqual([9, 8]);
  });

  it('returns labels in categories if asked to', async () => {
    const query = '{service_name="shop"} |= "timeout" | json';
    const flags = { 'x-loki-response-encoding-flags': 'categorize-labels' };
    const data = await range(query, {}, flags);
    expect(data.encodingFlags).toEqual(['categorize-labels']);
    const [{ stream, values }] = data.result;
    expect(stream).toEqual({ k8s_pod_name: 'p-1', service_name: 'shop' });
    expect(values[0][2]).toMatchObject({
      structuredMetadata: { host_name: 'h1', http_route: '/pay', detected_level: 'error' },
      parsed: { n: '3', msg: 'timeout (a)' },
    });
    expect((await range(query)).result[0].stream).toMatchObject({ host_name: 'h1', n: '3', service_name: 'shop' });
  });

  it('returns as many lines as requested, in the requested order', async () => {
    expect(await lines('{service_name="shop"}', { limit: '2' })).toEqual([1, 0]);
    expect(await lines('{service_name="shop"}', { limit: '2', direction: 'forward' })).toEqual([9, 8]);
    expect(await lines('{service_name="shop"}', { interval: '3m' })).toEqual([9, 6, 3, 0]);
    expect((await get('query_range', { query: '{service_name="shop"}', limit: '9999999' })).status).toBe(400);
  });

  it('rewrites lines and labels', async () => {
    const query =
      '{service_name="shop"} |= "timeout" | json | line_format "{{.n}}: {{.msg}}" | label_format place=k8s_pod_name | keep place, n';
    const [{ stream, values }] = (await range(query)).result;
    expect([stream, values[0][1]]).toEqual([{ n: '3', place: 'p-1' }, '3: timeout (a)']);
    const unknown = await get('query_range', { query: '{a="b"} | line_format "{{other .n}}"', ...window });
    expect([unknown.status, unknown.json.message]).toEqual([400, expect.stringContaining('"other" not defined')]);
  });

  it('counts the lines after the start of each range up to the step', async () => {
    const series: Series[] = (
      await range('sum by (detected_level) (count_over_time({service_name="shop"}[2m]))', {
        ...{ start: nanos(now - 120_000), end: nanos(now), step: '60000ms' },
      })
    ).result;
    const ofLevel = (level: string) => series.find(({ metric }) => metric.detected_level === level)?.values;
    expect(ofLevel('info')).toEqual([
      [(now - 120_000) / 1000, '1'],
      [(now - 60_000) / 1000, '2'],
      [now / 1000, '2'],
    ]);
    expect(ofLevel('error')).toEqual([[(now - 120_000) / 1000, '1']]);
  });

  it.each([
    ['count_over_time', '2m', ['detected_level']],
    ['rate', '1m', ['service_name', 'detected_level']],
    ['count_over_time', '10m', ['k8s_pod_name', 'http_route', 'none']],
    ['rate', '3m', []],
  ])('counts the same in the store as over lines: %s [%s] by %j', async (op, length, labels) => {
    const steps = { start: nanos(now - 900_000 + 7), end: nanos(now), step: '60000ms' };
    const over = (stage: string) =>
      range(`sum by (${labels.join(', ')}) (${op}({service_name=~"shop|cart"} ${stage} [${length}] offset 1m))`, steps);
    // A stage that changes nothing, and that the store cannot decide.
    const lines = (await over('| label_format unused="x"')).result;
    expect(lines.length).toBeGreaterThan(0);
    expect((await over('')).result).toEqual(expect.arrayContaining(lines));
    expect((await over('')).result).toHaveLength(lines.length);
    expect((await over('| drop __error__, __error_details__')).result).toHaveLength(lines.length);
  });

  it('answers the volume bars of Grafana, and names errors of lines', async () => {
    const volume = 'sum by (level, detected_level) (count_over_time({service_name="shop"} | drop __error__[60s]))';
    expect((await range(volume, { step: '60000ms' })).result.map(({ metric }: Series) => metric)).toEqual(
      expect.arrayContaining([{ detected_level: 'info' }, { detected_level: 'error' }]),
    );
    const query = 'sum(count_over_time({service_name="shop"} | json | took > 5 [1h]))';
    const { status, json } = await get('query', { query, time: nanos(now) });
    expect([status, json.message]).toEqual([400, expect.stringContaining('LabelFilterErr')]);
  });

  it('evaluates functions of lines and of numbers in lines', async () => {
    expect(await value('sum(count_over_time({service_name="shop"}[1h]))')).toBe(10);
    expect(await value('sum(rate({service_name="shop"}[10m]))')).toBe(10 / 600);
    expect(await value('sum(count_over_time({service_name="shop"}[3m] offset 5m))')).toBe(3);
    expect(await value('sum(bytes_over_time({service_name="shop"} |= "timeout" [1h]))')).toBe(40);
    expect(await value('max_over_time({service_name="shop"} | json | unwrap n [1h]) by (service_name)')).toBe(9);
    expect(await value('sum(sum_over_time({service_name="shop"} | json | unwrap duration(took) [1h]))')).toBeCloseTo(
      0.045,
      9,
    );
    expect(await value('quantile_over_time(0.5, {service_name="shop"} | json | unwrap n [1h]) by ()')).toBe(4.5);
    expect(await value('first_over_time({service_name="shop"} | json | unwrap n [1h]) by ()')).toBe(9);
    expect(await instant('absent_over_time({service_name="none"}[5m])')).toMatchObject([
      { metric: { service_name: 'none' }, value: [now / 1000, '1'] },
    ]);
  });

  it('computes with the results', async () => {
    const errors = 'sum(count_over_time({service_name="shop"} |= "timeout" [1h]))';
    expect(await value(`${errors} / sum(count_over_time({service_name="shop"}[1h])) * 100`)).toBe(10);
    expect(await value('1 + 2 * vector(3)')).toBe(7);
    // Not a number, as in Loki.
    for (const zero of ['0', '(1 - 1)', 'vector(0)', `(${errors} - 1)`])
      expect((await instant(`${errors} / ${zero}`))[0]?.value, zero).toEqual([now / 1000, 'NaN']);
    expect(await instant(`${errors} > 5`)).toEqual([]);
    const top = await instant('topk(1, sum by (msg) (count_over_time({service_name="shop"} | json [1h])))');
    expect(top).toMatchObject([{ metric: { msg: 'ok' }, value: [now / 1000, '9'] }]);
  });

  it('reports what is wrong in JSON with a message, and unknown paths as 404', async () => {
    for (const query of ['{', '{}', '{a=~".*"}', '{a="b"} | x', 'sum(', '{a=~"("}', '('.repeat(5_000)]) {
      const { status, json } = await get('query_range', { query, ...window });
      expect([status, typeof json.message], query).toEqual([400, 'string']);
    }
    expect((await get('query_range', { query: '{a="b"}', start: 'x' })).status).toBe(400);
    expect((await get('query', { query: '{a="b"}' })).json.message).toContain('instant');
    const far = { start: '0', end: '99999999999999999999', query: '{service_name="shop"}' };
    const all = await get('query_range', far);
    expect([all.status, all.json.data.result.length > 0]).toEqual([200, true]);
    expect((await testClient(world.base).get('/loki/api/v2alpha/tail', basic())).status).toBe(404);
  });
});
