import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsRequest, nanos } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

describe('faulty queries', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  const now = Date.now() - 60_000;

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const at = (time: number) => ({ startTimeUnixNano: nanos(now - 600_000), timeUnixNano: nanos(time) });
    const histogram = (time: number, count: number) => ({
      ...at(time),
      count: String(count),
      sum: count * 3,
      bucketCounts: ['0', String(count)],
      explicitBounds: [1],
    });
    const bucket = (le: string, time: number, asInt: number) => ({
      ...at(time),
      asInt,
      attributes: [{ key: 'le', value: { stringValue: le } }],
    });
    await ada.ingest(
      'metrics',
      metricsRequest([
        {
          name: 'rpc_bucket',
          sum: {
            aggregationTemporality: 2,
            isMonotonic: true,
            dataPoints: [
              ...[bucket('0.1', now - 1000, 1), bucket('1', now - 1000, 1), bucket('+Inf', now - 1000, 1)],
              ...[bucket('0.1', now, 6), bucket('1', now, 11), bucket('+Inf', now, 11)],
            ],
          },
        },
        { name: 'queue.size', gauge: { dataPoints: [{ ...at(now), asInt: 4 }] } },
        {
          name: 'queue.wait',
          histogram: { aggregationTemporality: 2, dataPoints: [histogram(now - 1000, 10), histogram(now, 14)] },
        },
      ]),
    );
    await ada.counted('metric queue.size | stats n=count()', 1);
    await ada.counted('metric queue.wait | stats n=count()', 2);
  });
  afterAll(() => world?.stop());

  const ask = (query: string) => ada.post(`${ada.workspace}/query`, { query, from: 'now-1h' });

  it('warns about a metric that was never seen, and suggests the nearest', async () => {
    const answer = await ask('metric queue.sise | sum');
    expect(answer.status).toBe(200);
    expect(answer.json.meta.warnings).toMatchObject([
      { code: 'OQL-3104', severity: 'warning', suggestion: { text: 'queue.size' } },
    ]);
    expect((await ask('metric queue.size | sum')).json.meta.warnings).toEqual([]);
    const validated = await ada.post(`${ada.workspace}/oql/validate`, { query: 'metric queue.sise' });
    expect(validated.data).toMatchObject({ valid: true, diagnostics: [{ code: 'OQL-3104' }] });
  });

  it("returns the sum and mean of a histogram's observations", async () => {
    expect((await ask('metric queue.wait | increase | sum')).data.rows).toEqual([[42]]);
    expect((await ask('metric queue.wait | increase | avg')).data.rows).toEqual([[3]]);
    expect((await ask('metric queue.size | avg')).data.rows).toEqual([[4]]);
  });

  it('reads the counters of classic buckets as histograms', async () => {
    const { data } = await ask(
      'metric rpc_bucket | increase | stats p=p50(value), ok=ratio(value <= 0.1), n=sum(count)',
    );
    expect(data.rows).toEqual([[expect.closeTo(0.0917, 4), expect.closeTo(6 / 11, 9), 11]]);
    expect((await ask('metric rpc_bucket | where le == "+Inf" | increase | sum')).data.rows).toEqual([[11]]);
  });

  it.each([
    ['metric queue.wait | where value > 1', 'OQL-4020', 'stats ratio(value > 1)'],
    ['metric rpc_bucket | increase | where value > 1', 'OQL-4020', 'stats ratio(value > 1)'],
    ['metric rpc_bucket | where le != "+Inf" | promrate 3m | p90', 'OQL-4021', 'metric rpc_bucket | promrate 5m'],
  ])('answers %s with an error that shows the right query', async (query, code, question) => {
    const { status, json } = await ask(query);
    expect(status).toBe(422);
    expect(json.error?.message).toContain(question);
    expect(JSON.stringify(json)).toContain(code);
  });

  it.each(['duration(1e300, "d")', 'from_unix(1e300)', 'from_unix(value * 1e300)'])(
    'a value that cannot be is no fault of the server: %s',
    async (expression) => {
      const answer = await ask(`metric queue.size | extend x = ${expression} | fields x`);
      expect([answer.status, answer.json.error?.code]).toEqual([422, 'SVC-5001']);
      expect(answer.json.error?.message).toContain('cannot be calculated');
    },
  );

  it.each(['[z-a]', '((a{100}){100}){100}'])(
    'a regular expression that RE2 does not compile is no fault of the server: %s',
    async (pattern) => {
      const answer = await ask(`metric queue.size | where service.name =~ ${JSON.stringify(pattern)} | count`);
      expect([answer.status, answer.json.error?.code]).toEqual([422, 'SVC-5001']);
      expect(answer.json.error?.message).toContain('regular expression');
      const contrast = await ada.post(`${ada.workspace}/contrast`, {
        selection: { where: `name =~ ${JSON.stringify(pattern)}` },
      });
      expect(contrast.status).toBeLessThan(500);
    },
  );
});
