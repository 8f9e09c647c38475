import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

const minute = 60_000;
const nanos = (ms: number) => String(BigInt(Math.round(ms)) * 1_000_000n);

describe('meta.completeness', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
  });
  afterAll(() => world?.stop());

  const completeness = async (query: string, from: string | number, to: string | number) =>
    (await ada.post(`${ada.workspace}/query`, { query, from, to })).json.meta.completeness;

  it('names the first and the last bucket when the window cuts them', async () => {
    const hour = Math.floor(Date.now() / (60 * minute)) * 60 * minute;
    const [from, to] = [hour - 118 * minute, hour - 62 * minute];
    expect(await completeness('logs | stats n=count() by bucket(5m)', from, to)).toMatchObject({
      complete: false,
      partial_buckets: [hour - 120 * minute, hour - 65 * minute].map((time) =>
        new Date(time).toISOString().replace('Z', '000000Z'),
      ),
    });
  });

  it('names the bucket that is not over', async () => {
    const today = Math.floor(Date.now() / (24 * 60 * minute)) * 24 * 60 * minute;
    const found = await completeness('spans | stats n=count() by bucket(1d)', today, today + 24 * 60 * minute);
    expect(found).toMatchObject({
      complete: false,
      partial_buckets: [new Date(today).toISOString().replace('Z', '000000Z')],
    });
  });

  it('is complete for a window in the past without buckets', async () => {
    expect(await completeness('spans | count', 'now-2h', 'now-1h')).toEqual({
      complete: true,
      partial_buckets: [],
      unstored: null,
      missing_anchors: 0,
      sampled_share: 1,
      shards_away: 0,
    });
  });

  it.each(['sum', 'histogram'] as const)('counts series of a %s that are rarer than their look-back', async (kind) => {
    const now = Date.now();
    const since = nanos(now - 10 * 86_400_000);
    const points = (hours: readonly number[]) =>
      hours.map((hour) => {
        const time = { timeUnixNano: nanos(now - hour * 60 * minute), startTimeUnixNano: since };
        const count = String(1_000 - 2 * hour);
        return kind === 'sum'
          ? { ...time, asInt: count }
          : { ...time, count, sum: 1, explicitBounds: [1], bucketCounts: [count, '0'] };
      });
    const data = (hours: readonly number[]) => ({
      [kind]: { aggregationTemporality: 2, ...(kind === 'sum' && { isMonotonic: true }), dataPoints: points(hours) },
    });
    await ada.ingest('metrics', {
      resourceMetrics: [
        {
          scopeMetrics: [
            {
              metrics: [
                { name: `rare.${kind}`, ...data([7, 1]) },
                { name: `often.${kind}`, ...data([2.5, 1.5, 1]) },
              ],
            },
          ],
        },
      ],
    });
    for (const [metric, series] of [
      ['rare', 2],
      ['often', 3],
    ] as const)
      await ada.counted(`metric ${metric}.${kind} | stats count()`, series);
    for (const [metric, missing] of [
      ['rare', 1],
      ['often', 0],
      ['rare', 1],
    ] as const)
      expect(await completeness(`metric ${metric}.${kind} | increase | count`, now - 110 * minute, now)).toMatchObject({
        complete: missing === 0,
        missing_anchors: missing,
      });
  });

  it('stands in the meta of each panel of a dashboard', async () => {
    const created = await ada.post(`${ada.workspace}/dashboards`, {
      name: 'Completeness',
      panels: [
        {
          id: 'a',
          type: 'time_series',
          title: 'A',
          query: 'logs | stats n=count() by bucket(1h)',
          x: 0,
          y: 0,
          w: 6,
          h: 4,
        },
      ],
    });
    const path = `${ada.workspace}/dashboards/${created.data.id}/data`;
    const { text } = await ada.post(path, { from: 'now-1h', to: 'now' });
    expect(JSON.parse(text.split('\n')[0] ?? '').meta.completeness).toMatchObject({ complete: false });
  });
});
