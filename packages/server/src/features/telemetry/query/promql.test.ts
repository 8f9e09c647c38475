import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { timesOf } from './promql.ts';

const minute = 60_000;
/** The end of a minute that is over. */
const now = Math.floor((Date.now() - minute) / minute) * minute;
const at = (ago: number) => new Date(now - ago * minute).toISOString();

let world: TelemetryWorld;
let ada: TelemetryTenant;
beforeAll(async () => {
  world = await startTelemetryWorld();
  ada = world.ada;
  const points = (route: string, perMinute: number) =>
    Array.from({ length: 11 }, (_, i) => ({
      ...{ startTimeUnixNano: nanos(now - 60 * minute), timeUnixNano: nanos(now - (10 - i) * minute) },
      ...{ asInt: String(i * perMinute), attributes: [text('route', route), text('value', 'v')] },
    }));
  const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints: [...points('/a', 60), ...points('/b', 120)] };
  await ada.ingest('metrics', metricsRequest([{ name: 'requests', unit: '', sum }], [text('service.name', 'cart')]));
  await ada.counted('metric requests | stats n=count()', 22);
}, 120_000);
afterAll(() => world?.stop());

const run = (query: string, more: object = {}) =>
  ada.post(`${ada.workspace}/query`, { query, query_language: 'promql', from: at(5), to: at(0), step: '1m', ...more });

describe('a query in PromQL', () => {
  it('returns a row for each series and step, with the time, the labels and the value', async () => {
    const { json } = await run('sum by (route) (rate(requests_total[2m]))');
    expect(json.data).toMatchObject({
      kind: 'timeseries',
      columns: [
        { name: 'time', type: 'timestamp' },
        { name: 'route', type: 'string' },
        { name: 'value', type: 'float' },
      ],
    });
    const values = (route: string) => json.data.rows.filter((row: unknown[]) => row[1] === route);
    expect(values('/a')).toEqual([5, 4, 3, 2, 1, 0].map((ago) => [at(ago), '/a', 1]));
    expect(values('/b').map(([, , value]: unknown[]) => value)).toEqual([2, 2, 2, 2, 2, 2]);
    expect(json.meta).toMatchObject({ truncated: false, warnings: [], completeness: { missing_anchors: 0 } });
  });

  it('returns one row for each series at the end of the window', async () => {
    const { json } = await run('topk(1, sum without (otel_scope_name, otel_scope_version) (requests_total))', {
      evaluate: 'instant',
    });
    expect(json.data.kind).toBe('table');
    const [row] = json.data.rows;
    expect(
      Object.fromEntries(json.data.columns.map(({ name }: { name: string }, i: number) => [name, row[i]])),
    ).toEqual({ job: 'cart', route: '/b', exported_value: 'v', value: 1200 });
  });

  it('returns a single number, also one that JSON cannot represent', async () => {
    const { json } = await run('1 / 0', { evaluate: 'instant' });
    expect(json.data).toEqual({ kind: 'scalar', columns: [{ name: 'value', type: 'float' }], rows: [['Infinity']] });
  });

  it('says when rows were left out, and reports warnings', async () => {
    const { json } = await run('rate(requests_total[2m])', { limit: 3 });
    expect([json.data.rows.length, json.meta.truncated]).toEqual([3, true]);
    const gauge = await run('rate({__name__=~"requests.*"}[2m]) * 0', { evaluate: 'instant' });
    expect(gauge.json.meta.warnings).toEqual([]);
    const bad = await run('quantile(2, requests_total)', { evaluate: 'instant' });
    expect(bad.json.meta.warnings).toEqual([expect.stringContaining('quantile value should be between 0 and 1')]);
  });

  it('reports where a text is not valid, and why an evaluation fails', async () => {
    const invalid = await run('sum(requests_total');
    expect([invalid.status, invalid.json.error.code]).toEqual([422, 'SVC-5011']);
    expect(invalid.json.error.details).toEqual([
      expect.objectContaining({ path: 'query', severity: 'error', span: expect.objectContaining({ line: 1 }) }),
    ]);
    const failed = await run('requests_total + on () requests_total', { evaluate: 'instant' });
    expect([failed.status, failed.json.error.code]).toEqual([422, 'SVC-5010']);
  });

  it('is sent as CSV', async () => {
    const { query, ...body } = {
      query: 'sum(requests_total)',
      query_language: 'promql',
      evaluate: 'instant',
      to: at(0),
    };
    const answer = await ada.post(`${ada.workspace}/query`, { query, from: at(5), ...body }, { accept: 'text/csv' });
    expect(answer.text.trim().split(/\r?\n/)).toEqual(['value', '1800']);
  });

  it('reads only the telemetry of its tenant', async () => {
    const answer = await world.eve.post(`${world.eve.workspace}/query`, {
      query: 'requests_total',
      query_language: 'promql',
      from: at(5),
      to: at(0),
    });
    expect(answer.json.data.rows).toEqual([]);
  });
});

describe('the times of a query in PromQL', () => {
  const window = { fromNs: 1_000_000_000n * 30n, toNs: 1_000_000_000n * 630n };
  it.each([
    [{}, { start: 30_000, end: 630_000, step: 5_000 }],
    [{ step: '1m' }, { start: 60_000, end: 630_000, step: 60_000 }],
    [{ evaluate: 'instant' as const }, { start: 630_000, end: 630_000, step: 0 }],
  ])('are at multiples of the step, or at the end: %j', (how, times) => {
    expect(timesOf(window, how)).toEqual(times);
  });
});

describe('a query', () => {
  it.each([
    ['PromQL', { params: { service: 'cart' } }, 'params: only for queries in OQL, and this one is in PromQL'],
    ['PromQL', { when_shards_away: 'skip' }, 'when_shards_away: only for queries in OQL, and this one is in PromQL'],
    ['OQL', { step: '1m' }, 'step: only for queries in PromQL, and this one is in OQL'],
    ['OQL', { evaluate: 'instant' }, 'evaluate: only for queries in PromQL, and this one is in OQL'],
  ])('in %s does not ignore %j', async (language, more, reason) => {
    const query = language === 'OQL' ? 'spans | count' : 'up';
    const answer = await ada.post(`${ada.workspace}/query`, { query, query_language: language.toLowerCase(), ...more });
    expect([answer.status, answer.json.error.code]).toEqual([422, 'SVC-1002']);
    expect(answer.json.error.message).toContain(reason);
  });
});
