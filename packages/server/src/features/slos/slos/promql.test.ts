import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { until } from '../../../testing/test-client.ts';

const minute = 60_000;
const now = Math.floor(Date.now() / minute) * minute;
const samples = 120;
/** Of good and bad requests between two samples, a minute apart, up to ten minutes ago. The process restarts once. */
const growth = {
  200: Array.from({ length: samples }, (_, i) => (i % 7) * 10),
  500: Array.from({ length: samples }, (_, i) => (i % 20 === 19 ? 3 : 0)),
};
const restartAt = 70;
const timeOf = (i: number) => now - (samples + 10 - i) * minute + 17_000;
const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

let world: TelemetryWorld;
beforeAll(async () => {
  world = await startTelemetryWorld();
  const dataPoints = Object.entries(growth).flatMap(([code, values]) => {
    let total = 1_000;
    return values.map((grown, i) => {
      total = i === restartAt ? grown : total + grown;
      return {
        startTimeUnixNano: nanos(i < restartAt ? now - 40 * 86_400_000 : timeOf(restartAt) - 1_000),
        timeUnixNano: nanos(timeOf(i)),
        asInt: String(total),
        attributes: [text('code', code)],
      };
    });
  });
  const counter = {
    name: 'http_requests_total',
    unit: '',
    sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints },
  };
  await world.ada.ingest('metrics', metricsRequest([counter], [text('service.name', 'checkout')]));
  await world.ada.counted('metric http_requests_total | stats n=count()', 2 * samples);
}, 120_000);
afterAll(() => world?.stop());

const path = () => `${world.ada.workspace}/slos`;
const slo = { name: 'Requests', project: 'default', objective: 0.99, window: { kind: 'rolling', period: '7d' } };
const inPromql = (good: string, total: string) => ({ kind: 'ratio', query_language: 'promql', good, total });
const counted = inPromql(
  'sum(increase(http_requests_total{code!~"5.."}[1m]))',
  'sum(increase(http_requests_total[1m]))',
);

async function statusOf(indicator: object, total: number) {
  const { data, status, text: body } = await world.ada.post(path(), { ...slo, indicator });
  expect(status, body).toBe(201);
  const standing = await until(async () => {
    const found = (await world.ada.get(`${path()}/${data.id}/status`)).data;
    return found.backfill.state !== 'running' && found.total >= total ? found : undefined;
  }, 120_000);
  const span = `from=${new Date(now - 180 * minute).toISOString()}&to=${new Date(now).toISOString()}`;
  const series = await world.ada.get(`${path()}/${data.id}/timeseries?${span}`);
  const { attainment, good, total: all, budget, burn, unmeasured } = standing;
  return {
    attainment,
    good,
    total: all,
    budget,
    burn: burn.slice(-3),
    unmeasured: unmeasured.share,
    points: series.data,
  };
}

describe('an indicator in PromQL', () => {
  it('counts the same events by minute as one in OQL, across restarts and sparse samples', async () => {
    // The first sample of a series grows from nothing that is known.
    const total = sum([...growth[200].slice(1), ...growth[500].slice(1)]);
    const promql = await statusOf(counted, total);
    expect([promql.total, promql.total - promql.good]).toEqual([total, sum(growth[500])]);
    const oql = await statusOf(
      {
        kind: 'ratio',
        good: 'metric http_requests_total | where code == "200" | increase | stats value=sum(value)',
        total: 'metric http_requests_total | increase | stats value=sum(value)',
      },
      total,
    );
    expect({ ...promql, unmeasured: 0 }).toEqual({ ...oql, unmeasured: 0 });
    expect(promql.unmeasured).toBeCloseTo(oql.unmeasured, 3);
  }, 240_000);

  it('has no attainment where its counters have no samples', async () => {
    const nothing = await statusOf(inPromql('sum(increase(absent_total[1m]))', 'sum(increase(absent_total[1m]))'), 0);
    expect(nothing).toMatchObject({ attainment: null, total: 0, budget: { left: null } });
  }, 120_000);

  it('judges slices of time by the value at their end', async () => {
    const query = 'sum(increase(http_requests_total{code="500"}[20m])) / sum(increase(http_requests_total[20m]))';
    const indicator = { kind: 'slices', query_language: 'promql', query, op: '<', threshold: 0.5, slice: '10m' };
    const { total, good } = await statusOf(indicator, 10);
    expect(good).toBe(total);
  }, 120_000);

  it.each([
    ['no PromQL', inPromql('sum(', 'vector(1)'), 'SVC-5011', /./],
    [
      'a rate',
      inPromql('sum(rate(x_total[1m]))', 'sum(rate(x_total[1m]))'),
      'SVC-7050',
      /`rate` does not count events/,
    ],
    [
      'a longer range',
      inPromql('sum(increase(x_total[5m]))', 'sum(increase(x_total[1m]))'),
      'SVC-7050',
      /not one minute/,
    ],
    ['a plain counter', inPromql('sum(x_total)', 'sum(increase(x_total[1m]))'), 'SVC-7050', /no range/],
    ['a sub-query', inPromql('sum(sum_over_time(x[1m:10s]))', 'sum(increase(x[1m]))'), 'SVC-7050', /sub-query/],
    ['a fixed time', inPromql('sum(increase(x[1m] @ end()))', 'sum(increase(x[1m]))'), 'SVC-7050', /`@`/],
    ['no metric', inPromql('vector(1)', 'vector(1)'), 'SVC-7050', /reads no metric/],
    [
      'a range vector',
      { kind: 'slices', query_language: 'promql', query: 'x[5m]', op: '<', threshold: 1 },
      'SVC-7050',
      /range vector/,
    ],
    ['events', { kind: 'events', query_language: 'promql', source: 'x', good: 'x' }, 'SVC-1002', /query_language/],
  ])('is refused with %s', async (_name, indicator, code, message) => {
    const { status, json } = await world.ada.post(path(), { ...slo, indicator });
    expect([status, json.error.code]).toEqual([422, code]);
    expect(json.error.message).toMatch(message);
  });

  it('reports why it cannot be counted when it returns several series', async () => {
    const each = 'sum by (code) (increase(http_requests_total[1m]))';
    const { data } = await world.ada.post(path(), { ...slo, indicator: inPromql(each, each) });
    const failed = await until(async () => {
      const { backfill } = (await world.ada.get(`${path()}/${data.id}`)).data;
      return backfill.state === 'failed' ? backfill : undefined;
    }, 60_000);
    expect(failed.error).toMatch(/several series.*sum/);
  }, 90_000);

  it('is exported as OpenSLO and imported from it, and its alert rules are in PromQL', async () => {
    const { data } = await world.ada.post(path(), { ...slo, indicator: counted, burn_alerts: true });
    const { data: document } = await world.ada.get(`${path()}/${data.id}/openslo`);
    const { data: copy } = await world.ada.post(`${path()}/openslo`, { project: 'default', document });
    expect(copy.indicator).toEqual(counted);
    const { data: rules } = await world.ada.get(`${world.ada.workspace}/alert-rules`);
    const own = rules.filter(({ burn }: { burn?: { slo: string } }) => burn?.slo === data.id);
    expect(own.map((rule: { query_language: string }) => rule.query_language)).toEqual(['promql', 'promql']);
  });
});
