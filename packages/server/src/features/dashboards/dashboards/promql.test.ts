import { afterAll, beforeAll, expect, it } from 'vitest';
import { metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

const minute = 60_000;
const now = Math.floor(Date.now() / minute) * minute;
const window = { from: new Date(now - 30 * minute).toISOString(), to: new Date(now).toISOString() };
const definitions = [
  { name: 'route', type: 'query', query: 'label_values(requests_total, route)', query_language: 'promql', multi: true },
];

let world: TelemetryWorld;
let ada: TelemetryTenant;
beforeAll(async () => {
  world = await startTelemetryWorld();
  ada = world.ada;
  const dataPoints = ['/b', '/a', '/c'].flatMap((route, at) =>
    Array.from({ length: 31 }, (_, i) => ({
      ...{ startTimeUnixNano: nanos(now - 60 * minute), timeUnixNano: nanos(now - (30 - i) * minute) },
      ...{ asInt: String(60 * (at + 1) * i), attributes: [text('route', route)] },
    })),
  );
  const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints };
  await ada.ingest('metrics', metricsRequest([{ name: 'requests', unit: '', sum }], [text('service.name', 'cart')]));
  await ada.counted('metric requests | stats n=count()', 93);
}, 120_000);
afterAll(() => world?.stop());

it('offers the values of a label for a variable, in order', async () => {
  const { data } = await ada.post(`${ada.workspace}/dashboards/variables`, { definitions, ...window });
  expect(data.variables).toEqual([{ name: 'route', options: ['/a', '/b', '/c'], truncated: false, error: null }]);
});

it('shows the queries of a panel over time, for the chosen values', async () => {
  const panel = {
    ...{ id: 'p', type: 'time_series', title: 'Rates', x: 0, y: 0, w: 12, h: 8, query_language: 'promql' },
    query: 'sum by (route) (rate(requests_total{route="$route"}[$__rate_interval]))',
    series_name: '{{route}} per second',
    more_queries: [{ query: 'count(requests_total)', series_name: 'series' }],
  };
  const body = { panels: [panel], definitions, variables: { route: ['/a', '/b'] }, ...window };
  const answer = await ada.post(`${ada.workspace}/dashboards/preview`, body);
  const line = JSON.parse(answer.text);
  expect(line.columns.map(({ name }: { name: string }) => name)).toEqual(['time', 'series', 'value']);
  const last = line.rows.filter(([time]: [string]) => Date.parse(time) === now);
  expect(last.map(([, name, value]: [string, string, number]) => [name, Number(value.toFixed(6))])).toEqual([
    ['/a per second', 2],
    ['/b per second', 1],
    ['series', 3],
  ]);
});

it('warns of a query that is not valid when a dashboard is saved', async () => {
  const panel = {
    id: 'p',
    type: 'stat',
    title: 'Wrong',
    x: 0,
    y: 0,
    w: 12,
    h: 8,
    query_language: 'promql',
    query: 'sum(',
  };
  const { json } = await ada.post(`${ada.workspace}/dashboards`, { name: 'One', project: 'default', panels: [panel] });
  expect(json.meta.warnings).toEqual([expect.stringContaining('The panel "Wrong" has an invalid query: ')]);
});
