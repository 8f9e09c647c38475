import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

describe('exemplars', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  const now = Date.now();
  const trace = '0af7651916cd43dd8448eb211c80319c';

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const exemplar = (ago: number, asDouble: number, more: object = {}) => ({
      timeUnixNano: nanos(now - ago),
      asDouble,
      filteredAttributes: [text('user.id', `u${asDouble}`)],
      ...more,
    });
    const point = {
      timeUnixNano: nanos(now),
      startTimeUnixNano: nanos(now - 60_000),
      asDouble: 5,
      attributes: [text('http.route', '/cart')],
      exemplars: [
        exemplar(1000, 1, { traceId: trace, spanId: 'b7ad6b7169203331' }),
        exemplar(1001, 2),
        exemplar(30 * 60_000, 9, { traceId: trace, spanId: 'b7ad6b7169203331' }),
      ],
    };
    const metric = {
      name: 'requests',
      unit: '1',
      sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [point] },
    };
    for (const tenant of [ada, world.eve]) {
      await tenant.ingest('metrics', metricsRequest([metric], [text('service.name', `shop-of-${tenant.slug}`)]));
      await tenant.counted('metric requests | stats n=count()', 1);
    }
  });
  afterAll(() => world?.stop());

  const get = async (query: Record<string, string>) => {
    const answer = await ada.get(
      `${ada.workspace}/exemplars?${new URLSearchParams({ metric: 'requests', to: 'now+1m', ...query })}`,
    );
    expect(answer.status, answer.text).toBe(200);
    return answer.json as { data: Record<string, unknown>[]; meta: { truncated: boolean } };
  };

  it('contain value, trace and series, ordered by time', async () => {
    const { data, meta } = await get({});
    expect(data.map(({ value }) => value)).toEqual([9, 2, 1]);
    expect(meta.truncated).toBe(false);
    expect(data[2]).toMatchObject({
      trace_id: trace,
      span_id: 'b7ad6b7169203331',
      service: `shop-of-${ada.slug}`,
      unit: '1',
      attributes: { 'user.id': 'u1' },
      series: { 'http.route': '/cart' },
    });
    expect(data[1]).toMatchObject({ trace_id: null, span_id: null });
  });
  it('are the largest of each slice of the window, with a mark when there are more', async () => {
    const { data, meta } = await get({ limit: '60' });
    expect(data.map(({ value }) => value)).toEqual([9, 2]);
    expect(meta.truncated).toBe(true);
  });
  it('can be filtered by service, window and trace', async () => {
    expect((await get({ service: `shop-of-${ada.slug}` })).data).toHaveLength(3);
    expect((await get({ service: `shop-of-${world.eve.slug}` })).data).toEqual([]);
    expect((await get({ from: 'now-5m' })).data).toHaveLength(2);
    expect((await get({ traced: 'true' })).data).toHaveLength(2);
    expect((await get({ metric: 'nothing' })).data).toEqual([]);
  });
});
