import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testClient } from '../../../testing/test-client.ts';

const door = '/loki/api/v1';
const now = Math.floor(Date.now() / 60_000) * 60_000;
/** Six lines of the shop, in JSON, one each minute, and four of the mailer, in logfmt. */
const shopLines = [0, 1, 2, 3, 4, 5].map((i) => ({
  ago: i * 60_000,
  body: `{"n":${i},"took":"${i + 1}ms","msg":"cart é"}`,
}));
const mailerLines = [1, 2, 3, 4].map((i) => ({
  ago: 60_000,
  body: `id=${i} ok=true size=${i}KB sent mail to user ${i}`,
}));
const bytesOf = (lines: readonly { body: string }[]) =>
  lines.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

describe('what the Loki API lists of lines', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let token: string;

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    token = await ada.token(['telemetry:query']);
    const ofService = (service: string, pod: string, lines: readonly { ago: number; body: string }[]) => ({
      resource: { attributes: [text('service.name', service), text('k8s.pod.name', pod)] },
      scopeLogs: [
        {
          logRecords: lines.map(({ ago, body }) => ({
            ...{ timeUnixNano: nanos(now - ago), severityNumber: 9, body: { stringValue: body } },
            attributes: [text('http.route', '/cart')],
          })),
        },
      ],
    });
    await ada.ingest('logs', {
      resourceLogs: [ofService('shop', 'p-1', shopLines), ofService('mailer', 'p-2', mailerLines)],
    });
    await ada.counted('logs | count', 10);
  }, 120_000);
  afterAll(() => world?.stop());

  const window = { start: nanos(now - 600_000), end: nanos(now + 1_000) };
  const get = (path: string, query: Record<string, string> = {}, bearer = token) =>
    testClient(world.base, { bearer }).get(`${path}?${new URLSearchParams({ ...window, ...query })}`);
  const read = async (path: string, query: Record<string, string> = {}) => {
    const { status, json, text: body } = await get(`${door}/${path}`, query);
    expect(status, body).toBe(200);
    return json;
  };

  it('counts streams, lines and bytes', async () => {
    expect(await read('index/stats', { query: '{service_name=~".+"}' })).toEqual({
      ...{ streams: 2, chunks: 0, entries: 10, bytes: bytesOf([...shopLines, ...mailerLines]) },
    });
    expect(await read('index/stats', { query: '{service_name="none"}' })).toEqual({
      ...{ streams: 0, chunks: 0, entries: 0, bytes: 0 },
    });
  });

  it('has the bytes of lines by label, the most first', async () => {
    const { data } = await read('index/volume', { query: '{service_name=~".+"}' });
    const at = (now + 1_000) / 1_000;
    expect(data.resultType).toBe('vector');
    const [shop, mailer] = [String(bytesOf(shopLines)), String(bytesOf(mailerLines))];
    expect(data.result).toEqual([
      { metric: { service_name: 'shop' }, value: [at, shop] },
      { metric: { service_name: 'mailer' }, value: [at, mailer] },
    ]);
    const byPod = { query: '{service_name="shop"}', targetLabels: 'k8s_pod_name' };
    expect((await read('index/volume', byPod)).data.result).toEqual([
      { metric: { k8s_pod_name: 'p-1' }, value: [at, shop] },
    ]);
    const names = { query: '{service_name=~".+"}', aggregateBy: 'labels', limit: '1' };
    const all = String(bytesOf([...shopLines, ...mailerLines]));
    expect((await read('index/volume', names)).data.result).toMatchObject([{ value: [at, all] }]);
  });

  it('has the bytes of lines over time', async () => {
    const steps = { start: nanos(now - 120_000), end: nanos(now + 1_000), step: '60s', query: '{service_name="shop"}' };
    const { data } = await read('index/volume_range', steps);
    const size = String(bytesOf(shopLines.slice(0, 1)));
    expect(data).toMatchObject({ resultType: 'matrix', result: [{ metric: { service_name: 'shop' } }] });
    expect(data.result[0].values).toEqual([
      [now / 1_000 - 60, size],
      [now / 1_000, size],
      [now / 1_000 + 1, size],
    ]);
  });

  it('lists templates of lines that a filter finds again', async () => {
    const query = '{service_name="mailer"}';
    const [{ pattern, samples }] = (await read('patterns', { query, step: '600s' })).data;
    expect(pattern).toContain('sent mail to user <_>');
    expect(samples.map(([, count]: [number, number]) => count)).toEqual([4]);
    const found = await read('query_range', { query: `${query} |> \`${pattern}\`` });
    expect(found.data.result.flatMap(({ values }: { values: unknown[] }) => values)).toHaveLength(4);
  });

  it('detects labels and fields, with their types and values', async () => {
    expect(await read('detected_labels')).toEqual({
      detectedLabels: [
        { label: 'k8s_pod_name', cardinality: 2 },
        { label: 'service_name', cardinality: 2 },
      ],
    });
    const ofShop = (await read('detected_fields', { query: '{service_name="shop"}' })).fields;
    expect(ofShop).toEqual(
      expect.arrayContaining([
        { label: 'http_route', type: 'string', cardinality: 1, parsers: null },
        { label: 'n', type: 'int', cardinality: 6, parsers: ['json'] },
        { label: 'took', type: 'duration', cardinality: 6, parsers: ['json'] },
      ]),
    );
    const { fields, limit } = await read('detected_fields', {
      query: '{service_name="mailer"}',
      limit: '50',
      line_limit: '2',
    });
    expect(limit).toBe(50);
    const shown = fields.map(({ label, type }: { label: string; type: string }) => `${label} ${type}`);
    expect(shown).toEqual(expect.arrayContaining(['id int', 'ok boolean', 'size bytes']));
    expect(fields.find(({ label }: { label: string }) => label === 'id').cardinality).toBe(2);
    const values = await read('detected_field/n/values', { query: '{service_name="shop"} | json | n > 3' });
    expect(values.values).toEqual(['4', '5']);
  });

  it('is ready, and has no rules', async () => {
    expect((await get('/loki/ready')).text).toBe('ready\n');
    const rules = await get(`${door}/rules`);
    expect([rules.status, rules.text, rules.headers.get('content-type')]).toEqual([
      200,
      '{}\n',
      expect.stringContaining('yaml'),
    ]);
  });

  it('is of the workspace of the token, and refuses what it cannot count', async () => {
    const eve = await world.eve.token(['telemetry:query']);
    for (const [path, part] of [
      ['index/stats', 'entries'],
      ['detected_labels', 'detectedLabels'],
    ] as const)
      expect((await get(`${door}/${path}`, {}, eve)).json[part]).toEqual(path === 'index/stats' ? 0 : []);
    for (const path of ['index/stats', 'index/volume', 'patterns', 'detected_labels']) {
      const { status, json } = await get(`${door}/${path}`, { query: '{service_name="shop"} | json | n > 3' });
      expect([status, typeof json.message], path).toEqual([400, 'string']);
    }
    expect((await get(`${door}/index/volume`, { aggregateBy: 'x' })).status).toBe(400);
    expect((await get(`${door}/detected_fields`, { query: '{a="b"}', line_limit: '-1' })).status).toBe(400);
    const far = { start: '0', end: '99999999999999999999', step: '9999999999', query: '{service_name="shop"}' };
    expect((await get(`${door}/index/volume_range`, far)).status).toBe(200);
  });
});
