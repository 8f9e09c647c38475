import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

it('answers formulas of an imported dashboard', async () => {
  const formula = (refId: string, fields: object) => ({ refId, datasource: { type: '__expr__' }, ...fields });
  const targets = [
    { refId: 'A', expr: 'requests_total{route=~"/a|/b"}', hide: true },
    formula('B', { type: 'reduce', expression: 'A', reducer: 'mean' }),
    formula('C', { type: 'threshold', expression: 'B', conditions: [{ evaluator: { type: 'gt', params: [1_000] } }] }),
    formula('D', { type: 'math', expression: 'round($A / 7) ** 2 > $B && $A' }),
  ];
  const grafana = { title: 'Formulas', panels: [{ type: 'timeseries', title: 'Formulas', targets }] };
  const { data } = await ada.post(`${ada.workspace}/dashboards/convert`, { grafana });
  const answer = await ada.post(`${ada.workspace}/dashboards/preview`, { panels: data.model.panels, ...window });
  const { rows, error } = JSON.parse(answer.text);
  expect(error).toBeUndefined();
  const last = rows.filter(([time]: [string]) => Date.parse(time) === now);
  // The means of 60 steps of 30 s, in which the counters are 0, 60, 60, 120, 120, … and twice as much.
  const expected = [0, 1, 1, 1, 885, 1_770];
  expect(last.map((row: [string, string, number]) => row[2]).sort((a: number, b: number) => a - b)).toEqual(expected);
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

describe('panels that repeat', () => {
  const box = { x: 0, y: 0, w: 12, h: 8 };
  const panel = {
    ...{ id: 'p', type: 'stat', title: '$route', ...box, query_language: 'promql' },
    ...{ query: 'sum(requests_total{route="$route"})', repeat: { variable: 'route' } },
  };
  const linesOf = (text: string) =>
    new Map(
      text.split('\n').flatMap((line) => {
        if (line === '') return [];
        const { panel, rows, error } = JSON.parse(line);
        return [[panel, error?.message ?? rows[0]?.at(-1)]];
      }),
    );
  const created = async (more: object) => {
    const body = { name: 'Routes', project: 'default', panels: [panel], variables: definitions, ...more };
    const { status, data, json, text: answer } = await ada.post(`${ada.workspace}/dashboards`, body);
    expect(status, answer).toBe(201);
    return { id: data.id, warnings: json.meta.warnings };
  };

  it('have a line for each chosen value, or for all values', async () => {
    const { id, warnings } = await created({});
    expect(warnings).toEqual([]);
    const data = (more: object) => ada.post(`${ada.workspace}/dashboards/${id}/data`, { ...window, ...more });
    const all = [
      ['p', 3600],
      ['p-2', 1800],
      ['p-3', 5400],
    ];
    expect([...linesOf((await data({})).text)].sort()).toEqual(all);
    const chosen = await data({ variables: { route: ['/c', '/a'] } });
    expect(Object.fromEntries(linesOf(chosen.text))).toEqual({ p: 5400, 'p-2': 3600 });
    expect(Object.fromEntries(linesOf((await data({ panels: ['p-2'] })).text))).toEqual({ 'p-2': 1800 });
  });

  it('have their copies in a snapshot, with the values of then', async () => {
    const { id } = await created({});
    const { data, text: answer } = await ada.post(`${ada.workspace}/dashboards/${id}/snapshots`, { ...window });
    const panels: { id: string; repeat?: object; variables: object }[] = data.model.panels;
    expect(
      panels.map(({ id: of, repeat, variables }) => [of, repeat, variables]),
      answer,
    ).toEqual([
      ['p', undefined, { route: '/a' }],
      ['p-2', undefined, { route: '/b' }],
      ['p-3', undefined, { route: '/c' }],
    ]);
    const lines = linesOf((await ada.get(`${ada.workspace}/dashboard-snapshots/${data.id}/data`)).text);
    expect(Object.fromEntries(lines)).toEqual({ p: 3600, 'p-2': 1800, 'p-3': 5400 });
  });

  it('warn of a variable that does not exist', async () => {
    const { warnings } = await created({ variables: [] });
    expect(warnings).toContainEqual(expect.stringContaining('repeats by $route, which is no variable'));
  });

  it.each([
    [{ repeat: { variable: 'place' } }, /repeat/],
    [{ repeat: undefined, variables: { place: 'other' } }, /variables/],
  ])('are refused where %j would read another project', async (change, path) => {
    const variables = [{ name: 'place', type: 'project' }];
    const body = { name: 'Places', project: 'default', panels: [{ ...panel, ...change }], variables };
    const { status, json } = await ada.post(`${ada.workspace}/dashboards`, body);
    expect([status, json.error.code]).toEqual([422, 'SVC-7100']);
    expect(json.error.message).toMatch(path);
  });
});

it("offers the values that a pattern of Grafana's variable keeps", async () => {
  const query =
    'group by (value) (label_replace(last_over_time(requests_total[$__range]), "value", "$1", "route", "(?s:.*?)(?:([ab]))(?s:.*)"))';
  const variable = { name: 'route', type: 'query', query, query_language: 'promql' };
  const { data } = await ada.post(`${ada.workspace}/dashboards/variables`, { definitions: [variable], ...window });
  expect(data.variables).toEqual([{ name: 'route', options: ['a', 'b'], truncated: false, error: null }]);
});
