import fc from 'fast-check';
import { compress } from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { type TestSeries, writeRequest1, writeRequest2 } from '../../../../../telemetry/src/testing/remote-write.ts';
import { stored } from '../../../testing/test-client.ts';
import { useIngestEndpoint } from '../../testing/ingest-endpoint.ts';

const endpoint = useIngestEndpoint('/prometheus/api/v1/write', { 'content-encoding': 'snappy' });
const { ask } = endpoint;

const now = Date.now() - 60_000;
const trace = '0af7651916cd43dd8448eb211c80319c';
const target = { job: 'shop/cart', instance: '10.0.0.1:9090' };
const version1 = 'application/x-protobuf';
const version2 = 'application/x-protobuf;proto=io.prometheus.write.v2.Request';

const send = (body: Uint8Array, contentType: string, headers: Record<string, string> = {}) =>
  endpoint.send(body, { 'content-type': contentType, ...headers });

function written(answer: Response): string[] {
  return ['samples', 'histograms', 'exemplars'].map(
    (kind) => answer.headers.get(`x-prometheus-remote-write-${kind}-written`) ?? '',
  );
}

const points = (metric: string, count: number) => endpoint.gives(`metric ${metric} | stats n=count()`, count);

describe.each([
  ['1.0', version1, (series: TestSeries[]) => writeRequest1(series)],
  ['2.0', version2, writeRequest2],
] as const)('remote write %s', (version, contentType, write) => {
  const name = (base: string) => `v${version.replace('.', '_')}_${base}`;
  const labels = (base: string, more: Record<string, string> = {}) => ({ __name__: name(base), ...target, ...more });

  it('stores counters and gauges of a target', async () => {
    const counter = [0, 1, 2].map((i) => ({ value: 10 * i, time: now + i * 1000 }));
    const answer = await send(
      write([
        { labels: labels('requests_total', { path: '/a' }), samples: counter },
        { labels: labels('heat', { room: 'kitchen', empty: '' }), samples: [{ value: 21.5, time: now }] },
      ]),
      contentType,
    );
    expect([answer.status, await answer.text(), written(answer)]).toEqual([204, '', ['4', '0', '0']]);
    await points(name('requests_total'), 3);
    await points(name('heat'), 1);
    expect(
      await ask(
        `metric ${name('requests_total')} | sort -time | limit 1 | fields value, kind, temporality, monotonic, service.name, attr.path, attr.instance`,
      ),
    ).toEqual([[20, 'sum', 'cumulative', true, 'cart', '/a', '10.0.0.1:9090']]);
    expect(
      await ask(
        `metric ${name('heat')} | fields value, kind, resource.service.namespace, resource.service.instance.id, attributes`,
      ),
    ).toEqual([[21.5, 'gauge', 'shop', '10.0.0.1:9090', expect.not.objectContaining({ empty: '' })]]);
  });

  it('treats a staleness marker as no value', async () => {
    const samples = [
      { value: 1, time: now },
      { value: 0, time: now + 1000, stale: true },
      { value: Number.NaN, time: now + 2000 },
    ];
    expect((await send(write([{ labels: labels('gone'), samples }]), contentType)).status).toBe(204);
    await stored(endpoint.world.base);
    const rows = await endpoint.world.store.queryRows<{ no_recorded_value: boolean }>(
      `SELECT no_recorded_value FROM metric_points WHERE metric = '${name('gone')}' ORDER BY time`,
    );
    expect(rows.map((row) => row.no_recorded_value)).toEqual([false, true, false]);
  });

  it('stores native histograms', async () => {
    const histogram = {
      count: 12,
      sum: 18.4,
      schema: 0,
      zeroCount: 2,
      zeroThreshold: 0.001,
      positiveSpans: [
        [0, 2],
        [1, 2],
      ] as [number, number][],
      positiveDeltas: [1, 1, -1, 0],
      negativeSpans: [[0, 2]] as [number, number][],
      negativeDeltas: [2, 1],
      time: now,
    };
    const custom = { ...histogram, schema: -53, bounds: [0.1, 1, 5], negativeSpans: [], negativeDeltas: [] };
    const answer = await send(
      write([
        { labels: labels('latency'), histograms: [histogram] },
        { labels: labels('custom'), histograms: [{ ...custom, positiveSpans: [[1, 2]], positiveDeltas: [3, 4] }] },
      ]),
      contentType,
    );
    expect([answer.status, written(answer)]).toEqual([204, ['0', '2', '0']]);
    await points(name('latency'), 1);
    await points(name('custom'), 1);
    const rows = await endpoint.world.store.queryRows<Record<string, unknown>>(
      `SELECT toString(count) AS count, sum, scale, toString(zero_count) AS zero_count, zero_threshold, positive_offset, positive_counts, negative_offset, negative_counts, bounds, bucket_counts
       FROM metric_histograms WHERE metric IN ('${name('latency')}', '${name('custom')}') ORDER BY metric`,
    );
    expect(rows).toMatchObject([
      { bounds: [0.1, 1, 5], scale: 0 },
      { count: '12', sum: 18.4, zero_count: '2', zero_threshold: 0.001, positive_offset: -1, negative_offset: -1 },
    ]);
    const numbers = (list: unknown) => (list as unknown[]).map(Number);
    expect(numbers(rows[0]?.bucket_counts)).toEqual([0, 3, 7, 0]);
    expect(numbers(rows[1]?.positive_counts)).toEqual([1, 2, 0, 1, 1]);
    expect(numbers(rows[1]?.negative_counts)).toEqual([2, 3]);
  });

  it('stores counts of float histograms as the nearest integers of 64 bits', async () => {
    const floats = { count: 1.7e308, sum: 1e100, schema: 0, zeroCount: -3, zeroThreshold: 0, time: now };
    const counts = { floats: { positive: [1e220, 2.6, Number.NaN], negative: [] } };
    const spans = { positiveSpans: [[1, 3]] as [number, number][], negativeSpans: [] };
    const answer = await send(
      write([
        { labels: labels('huge'), histograms: [{ ...floats, ...spans, ...counts }] },
        {
          labels: labels('huge_custom'),
          histograms: [{ ...floats, ...spans, ...counts, schema: -53, bounds: [1, 2, 5] }],
        },
      ]),
      contentType,
    );
    expect([answer.status, written(answer)]).toEqual([204, ['0', '2', '0']]);
    await points(name('huge'), 1);
    await points(name('huge_custom'), 1);
    const rows = await endpoint.world.store.queryRows<Record<string, unknown>>(
      `SELECT toString(count) AS count, toString(zero_count) AS zeros, sum, arrayMap(one -> toString(one), arrayConcat(positive_counts, bucket_counts)) AS counts
       FROM metric_histograms WHERE metric IN ('${name('huge')}', '${name('huge_custom')}') ORDER BY metric`,
    );
    const most = '18446744073709549568';
    expect(rows).toEqual([
      { count: most, zeros: '0', sum: 1e100, counts: [most, '3', '0'] },
      { count: most, zeros: '0', sum: 1e100, counts: ['0', most, '3', '0'] },
    ]);
  });

  it('stores exemplars with their series', async () => {
    const series = labels('slow_total');
    const exemplars = [{ labels: { trace_id: trace, user: 'ada' }, value: 0.7, time: now }];
    const answer = await send(
      write([
        { labels: series, samples: [{ value: 1, time: now }] },
        { labels: series, exemplars },
      ]),
      contentType,
    );
    expect([answer.status, written(answer)]).toEqual([204, ['1', '0', '1']]);
    await points(name('slow_total'), 1);
    const { ada } = endpoint;
    const found = await ada.get(`${ada.workspace}/exemplars?metric=${name('slow_total')}&from=now-1h&to=now`);
    expect(found.data).toMatchObject([{ value: 0.7, trace_id: trace, attributes: { user: 'ada' } }]);
  });

  it('stores the rest of a partially rejected request, and counts exactly', async () => {
    const old = { value: 1, time: now - 40 * 86_400_000 };
    const answer = await send(
      write([
        { labels: labels('part'), samples: [old, { value: 2, time: now }] },
        { labels: { job: 'nameless' }, samples: [{ value: 2, time: now }] },
      ]),
      contentType,
    );
    expect([answer.status, written(answer)]).toEqual([400, ['1', '0', '0']]);
    expect(await answer.text()).toMatch(/older than the retention.*no name/s);
    await points(name('part'), 1);
  });

  it.each([
    ['what is not Snappy', Buffer.from('hello'), 400],
    ['what is no protobuf', Buffer.from(compress(Uint8Array.of(10, 255))), 400],
    ['a bomb', Buffer.from(compress(new Uint8Array(40 << 20))), 413],
  ])('rejects %s', async (_, body, status) => {
    const answer = await send(body, contentType);
    expect([answer.status, written(answer)]).toEqual([status, ['0', '0', '0']]);
  });

  it('never causes an internal error, for any input', async () => {
    const valid = write([{ labels: labels('fuzz'), samples: [{ value: 1, time: now }], exemplars: [] }]);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }),
          fc.uint8Array({ maxLength: 300 }).map((bytes) => compress(bytes)),
          fc.tuple(fc.nat(valid.length - 1), fc.nat(255)).map(([at, to]) => Buffer.from(valid).fill(to, at, at + 1)),
        ),
        async (body) => {
          const answer = await send(body, contentType);
          expect([204, 400, 413]).toContain(answer.status);
          await answer.text();
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('remote write', () => {
  it('stores metadata of both versions', async () => {
    const families = [{ name: 'clicks', type: 1, help: 'how often', unit: 'click' }];
    const labels = { __name__: 'clicks', ...target };
    expect(
      (await send(writeRequest1([{ labels, samples: [{ value: 1, time: now }] }], families), version1)).status,
    ).toBe(204);
    const metadata = { type: 2, help: 'how many', unit: 'item' };
    const gauge = { labels: { ...labels, __name__: 'stock_total' }, samples: [{ value: 1, time: now }], metadata };
    expect((await send(writeRequest2([gauge]), version2)).status).toBe(204);
    await points('clicks', 1);
    await points('stock_total', 1);
    expect(await ask('metric clicks | fields kind, unit, description')).toEqual([['sum', 'click', 'how often']]);
    expect(await ask('metric stock_total | fields kind, unit, description')).toEqual([['gauge', 'item', 'how many']]);
  });

  it('accepts the token as the Basic password', async () => {
    const authorization = `Basic ${Buffer.from(`prometheus:${endpoint.token}`).toString('base64')}`;
    expect((await send(writeRequest1([]), version1, { authorization })).status).toBe(204);
    expect((await send(writeRequest1([]), version1, { authorization: 'Basic eDp5' })).status).toBe(401);
  });

  it.each([
    ['another message', 'application/x-protobuf;proto=some.other.Request', {}],
    ['another media type', 'application/json', {}],
    ['another encoding', version1, { 'content-encoding': 'gzip' }],
  ])('rejects %s', async (_, contentType, headers) => {
    expect((await send(writeRequest1([]), contentType, headers)).status).toBe(415);
  });

  it('checks large requests off the event loop, with the same response', async () => {
    const series = Array.from({ length: 20_000 }, (_, i) => ({
      labels: { __name__: 'large', ...target, i: String(i), text: String(i * 7919).repeat(4) },
      samples: [{ value: i, time: i === 77 ? 1 : now }],
    }));
    const answer = await send(writeRequest2(series), version2);
    expect([answer.status, written(answer)]).toEqual([400, ['19999', '0', '0']]);
    await points('large', 19_999);
  });
});
