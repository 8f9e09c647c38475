import { DashboardModel } from '@fanion/contract';
import { validate } from '@fanion/oql';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemsOf } from '../model-rules.ts';
import { convertedGrafana, type Imported } from './convert-rules.ts';

function converted(json: unknown): Imported | { readonly problem: string } {
  const steps = convertedGrafana(json, 200);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
function imported(json: unknown): Imported {
  const result = converted(json);
  if ('problem' in result) throw new Error(result.problem);
  return result;
}
const panel = (expr: string, more: object = {}) => ({
  ...{ id: 1, type: 'timeseries', title: 'Panel', gridPos: { x: 0, y: 0, w: 12, h: 8 } },
  ...{ datasource: { type: 'prometheus' }, targets: [{ expr, legendFormat: '{{mode}}' }], ...more },
});
const of = (one: object, more: object = {}) => imported({ title: 'Node', panels: [one], ...more });
const job = { name: 'job', type: 'query', query: 'label_values(node_uname_info, job)', current: { value: 'node' } };

describe("the import of Grafana's dashboards", () => {
  it.each([
    'sum by (mode) (rate(node_cpu_seconds_total{job="node"}[5m]))',
    'sort_desc(topk(3, up))',
    'max_over_time(up{job="node"}[5m:1m])',
  ])('keeps the text of %s', (expr) => {
    const { model, report } = of(panel(expr));
    expect(report).toEqual([{ what: 'panel', name: 'Panel', kept: true, losses: [] }]);
    expect(model.panels).toMatchObject([{ query: expr, query_language: 'promql', series_name: '{{mode}}' }]);
    expect(DashboardModel.safeParse(model).success).toBe(true);
  });

  it('keeps variables and ranges in queries, and the query of a variable', () => {
    const expr = 'sum by (mode) (rate(node_cpu_seconds_total{job=~"$job", device=~"$job.*"}[$__rate_interval]))';
    const { model, report } = of(panel(expr), { templating: { list: [job] } });
    expect(model.variables).toMatchObject([
      {
        name: 'job',
        type: 'query',
        default: 'node',
        query_language: 'promql',
        query: 'label_values(node_uname_info, job)',
      },
    ]);
    expect(model.panels[0]?.query).toBe(expr);
    expect(report.flatMap(({ losses }) => losses)).toEqual([]);
  });

  const formula = (expression: string, type = 'math') => ({
    ...{ refId: 'C', type, expression, datasource: { type: '__expr__', uid: '__expr__' } },
  });
  const hidden = [
    { refId: 'A', expr: 'sum(rate(errors_total[5m])) # failed', hide: true },
    { refId: 'B', expr: 'sum(rate(requests_total[5m]))', hide: true },
    { refId: 'L', expr: 'sum(rate({app="x"}[5m]))', datasource: { type: 'loki' }, hide: true },
  ];

  it('keeps arithmetic over queries as one query, and says which series it joins', () => {
    const { model, report } = of(panel('', { targets: [...hidden, formula('100 * $A / $' + '{B}')] }));
    expect(model.panels[0]?.query).toBe(
      '((100 * (sum(rate(errors_total[5m])) # failed\n)) / (sum(rate(requests_total[5m]))\n))',
    );
    expect(report[0]?.losses).toEqual(['its formula joins only series with equal labels']);
  });

  it.each([
    ['a resampling', formula('A', 'resample')],
    ['an unknown function', formula('sin($A)')],
    ['an unknown query', formula('$A / $D')],
    ['no query', formula('1 + 1')],
    ['itself', formula('$A / $C')],
    ['log lines', formula('$L / $A')],
  ])('loses a formula with %s, and says so', (_name, lost) => {
    const { model, report } = of(panel('', { targets: [...hidden, lost] }));
    expect(model.panels).toEqual([]);
    expect(report[0]?.losses).toEqual(['a formula that has no equal in PromQL']);
  });

  it('keeps all visible queries of a panel, and says which are lost', () => {
    const targets = [
      { expr: 'a', legendFormat: '__auto' },
      { expr: 'hidden', hide: true },
      { expr: 'b', legendFormat: 'B {{job}}' },
      { expr: '', expression: '$A + $B', datasource: { type: '__expr__' } },
    ];
    const { model, report } = of(panel('', { targets }));
    expect(model.panels[0]).toMatchObject({ query: 'a', more_queries: [{ query: 'b', series_name: 'B {{job}}' }] });
    expect(model.panels[0]).not.toHaveProperty('series_name');
    expect(report[0]?.losses).toEqual(['1 of its 3 queries: a formula that has no equal in PromQL']);
  });

  it('shows states as lines', () => {
    const { model, report } = of(panel('up', { type: 'state-timeline' }));
    expect([model.panels[0]?.type, report[0]?.losses]).toEqual(['time_series', ['states are shown as lines']]);
  });

  it('keeps the place, unit, thresholds and text of panels', () => {
    const fieldConfig = {
      defaults: {
        unit: 'percentunit',
        decimals: 1,
        max: 1,
        thresholds: {
          steps: [
            { color: 'green', value: null },
            { color: 'red', value: 0.8 },
          ],
        },
      },
    };
    const gauge = panel('sum(up)', { type: 'gauge', fieldConfig, gridPos: { x: 20, y: 3, w: 12, h: 4 } });
    expect(of(gauge).model.panels[0]).toMatchObject({
      ...{
        type: 'gauge',
        unit: '1',
        decimals: 1,
        max: 1,
        thresholds: [{ value: 0.8, color: 'error' }],
        x: 20,
        y: 3,
        w: 4,
        h: 4,
      },
    });
    const text = { type: 'text', title: 'Notes', options: { mode: 'markdown', content: '# Hello' } };
    expect(of(text).model.panels[0]).toMatchObject({ type: 'text', text: '# Hello' });
  });

  const [query, logql] = ['sum by (le) (rate(latency_bucket[5m]))', '{service_name="shop"} |= "timeout"'];
  it.each<[string, string, object]>([
    ['timeseries', 'time_series', { targets: [{ expr: query }] }],
    ['graph', 'time_series', { targets: [{ expr: query }] }],
    ['stat', 'stat', { targets: [{ expr: 'sum(up)' }] }],
    ['singlestat', 'stat', { targets: [{ expr: 'sum(up)' }] }],
    ['gauge', 'gauge', { targets: [{ expr: 'sum(up)' }] }],
    ['bargauge', 'bar', { targets: [{ expr: 'sum by (job) (up)' }] }],
    ['barchart', 'bar', { targets: [{ expr: 'sum by (job) (up)' }] }],
    ['table', 'table', { targets: [{ expr: 'sum by (job) (up)' }] }],
    ['heatmap', 'heat_map', { targets: [{ expr: query }] }],
    ['logs', 'logs', { targets: [{ expr: logql }], datasource: { type: 'loki' } }],
    ['logs', 'logs', { targets: [{ expr: logql, datasource: { type: 'loki' } }], datasource: null }],
    ['text', 'text', { options: { mode: 'markdown', content: 'x' } }],
    ['row', 'row', {}],
  ])('keeps panels of the type %s', (type, expected, more) => {
    const { model, report } = of(panel('up', { type, ...more }));
    expect(report).toEqual([{ what: 'panel', name: 'Panel', kept: true, losses: [] }]);
    const [kept] = model.panels;
    expect(kept?.type).toBe(expected);
    if (kept?.query !== undefined && type === 'logs') expect(validate(kept.query)).toMatchObject({ valid: true });
    expect(DashboardModel.safeParse(model).success).toBe(true);
  });

  it.each<[string, object, string]>([
    ['an unknown type', panel('up', { type: 'geomap' }), 'there is no panel of the type geomap'],
    ['another data source', panel('up', { datasource: { type: 'loki' } }), 'queries of loki are not translated'],
    ['lines of another source', panel('x', { type: 'logs' }), 'queries of prometheus are not translated'],
    [
      'lines that OQL cannot choose',
      panel('rate({a="b"}[5m])', { type: 'logs', datasource: 'Loki' }),
      'its LogQL has no equal: only queries for log lines',
    ],
    ['no query', panel('up', { targets: [] }), 'it has no query'],
    [
      'an experimental function',
      panel('sort_by_label(up, "a")'),
      'its PromQL is not valid: 1:1: parse error: function "sort_by_label" is not enabled',
    ],
    [
      'a variable that is lost',
      panel('up{job="$other"}'),
      'it uses $other, which is no variable of the imported dashboard',
    ],
    ['what is no PromQL', panel('sum(('), 'its PromQL is not valid'],
  ])('lists a panel with %s as lost', (_, given, loss) => {
    const { model, report } = of(given);
    expect(model.panels).toEqual([]);
    expect(report).toMatchObject([{ kept: false }]);
    expect(report[0]?.losses.join()).toContain(loss);
  });

  it('lists what is lost of a panel that is kept', () => {
    const given = panel('up', {
      repeat: 'node',
      fieldConfig: { defaults: { unit: 'furlongs' }, overrides: [{ matcher: {} }] },
      transformations: [{ id: 'x' }],
    });
    expect(of(given).report[0]).toMatchObject({
      kept: true,
      losses: [
        'it is shown once: $node is no variable of the imported dashboard',
        'the unit furlongs is shown as a plain number',
        'its transformations',
        'settings of single series',
      ],
    });
  });

  it.each<[string, object, object | undefined]>([
    ['a list', { type: 'custom', query: 'a, B : b', multi: true }, { type: 'list', values: ['a', 'b'], multi: true }],
    ['intervals', { type: 'interval', query: 'auto,1m,5m' }, { type: 'interval', values: ['1m', '5m'], default: '1m' }],
    ['a text', { type: 'textbox', query: 'x' }, { type: 'text', default: 'x' }],
    ['a data source', { type: 'datasource', query: 'prometheus' }, undefined],
    ['a query of another kind', { type: 'query', query: 'query_result(up)' }, undefined],
  ])('converts variables: %s', (_, given, expected) => {
    const { model, report } = of(panel('up'), { templating: { list: [{ name: 'v', ...given }] } });
    if (expected) expect(model.variables[0]).toMatchObject({ name: 'v', ...expected });
    else expect([model.variables, report[0]?.kept]).toEqual([[], false]);
  });

  it('reads old rows, collapsed rows, resources and version 2', () => {
    const titles = (json: object) => imported(json).model.panels.map(({ title, type, x, y }) => [title, type, x, y]);
    const old = {
      rows: [
        {
          title: 'CPU',
          height: '190px',
          panels: [
            { ...panel('up'), span: 6 },
            { ...panel('up'), span: 6 },
            { ...panel('up'), span: 12 },
          ],
        },
      ],
    };
    expect(titles(old)).toEqual([
      ['CPU', 'row', 0, 0],
      ['Panel', 'time_series', 0, 1],
      ['Panel', 'time_series', 12, 1],
      ['Panel', 'time_series', 0, 6],
    ]);
    const row = {
      type: 'row',
      title: 'Row',
      collapsed: true,
      gridPos: { x: 0, y: 0, w: 24, h: 1 },
      panels: [panel('up', { gridPos: { x: 0, y: 1, w: 12, h: 8 } })],
    };
    expect(titles({ panels: [row] })).toEqual([
      ['Row', 'row', 0, 0],
      ['Panel', 'time_series', 0, 1],
    ]);
    expect(titles({ dashboard: { panels: [panel('up')] } })).toHaveLength(1);
    expect(
      titles({
        apiVersion: 'dashboard.grafana.app/v1beta1',
        kind: 'Dashboard',
        spec: { title: 'x', panels: [panel('up')] },
      }),
    ).toHaveLength(1);
    const element = {
      kind: 'Panel',
      spec: {
        title: 'Up',
        data: {
          kind: 'QueryGroup',
          spec: {
            queries: [
              {
                kind: 'PanelQuery',
                spec: { refId: 'A', hidden: false, query: { kind: 'prometheus', spec: { expr: 'up' } } },
              },
            ],
          },
        },
        vizConfig: { kind: 'stat', spec: { options: {}, fieldConfig: { defaults: {} } } },
      },
    };
    const item = {
      kind: 'GridLayoutItem',
      spec: { x: 2, y: 0, width: 6, height: 4, element: { kind: 'ElementReference', name: 'panel-1' } },
    };
    const grid = { kind: 'GridLayout', spec: { items: [item] } };
    const rows = {
      kind: 'RowsLayout',
      spec: { rows: [{ kind: 'RowsLayoutRow', spec: { title: 'First', collapse: false, layout: grid } }] },
    };
    const two = {
      apiVersion: 'dashboard.grafana.app/v2beta1',
      kind: 'Dashboard',
      spec: {
        title: 'Two',
        elements: { 'panel-1': element },
        layout: rows,
        variables: [{ kind: 'CustomVariable', spec: { name: 'v', query: 'a,b' } }],
      },
    };
    expect(titles(two)).toEqual([
      ['First', 'row', 0, 0],
      ['Up', 'stat', 2, 1],
    ]);
    expect(imported(two).model.variables).toMatchObject([{ name: 'v', type: 'list', values: ['a', 'b'] }]);
  });

  it('keeps an element that a layout shows many times once, so that a small file makes no large dashboard', () => {
    const spec = { title: 'x', vizConfig: { kind: 'text', spec: { options: { content: 'x'.repeat(10_000) } } } };
    const items = Array.from({ length: 2_000 }, () => ({ spec: { element: { name: 'panel-1' } } }));
    const layout = { kind: 'AutoGridLayout', spec: { items } };
    const { model, report } = imported({ spec: { title: 'Two', elements: { 'panel-1': { spec } }, layout } });
    expect(model.panels).toHaveLength(1);
    expect(report.slice(0, 2)).toMatchObject([
      { kept: true, losses: [] },
      { name: 'panel-1', kept: false, losses: ['its element is shown more than once'] },
    ]);
    expect(report.at(-1)).toMatchObject({ what: 'dashboard', losses: ['1800 panels beyond 200'] });
  });

  it.each<[string, (panels: object[]) => object]>([
    ['panels', (panels) => ({ panels })],
    ['rows', (panels) => ({ rows: panels.map((one) => ({ panels: [one] })) })],
    ['a row', (panels) => ({ rows: [{ panels }] })],
    [
      'elements',
      (panels) => ({
        elements: Object.fromEntries(panels.map((spec, at) => [`p${at}`, { spec }])),
        layout: {
          kind: 'GridLayout',
          spec: { items: panels.map((_panel, at) => ({ spec: { element: { name: `p${at}` } } })) },
        },
      }),
    ],
    ['variables', (list) => ({ panels: [], templating: { list } })],
  ])('reads %s one step at a time, so that a large file does not block other requests', (what, file) => {
    let read = 0;
    const counted = () => Object.defineProperty({}, 'title', { enumerable: true, get: () => `${read++}` });
    const named = () => Object.defineProperty({}, 'name', { enumerable: true, get: () => `v${read++}` });
    const steps = convertedGrafana(file(Array.from({ length: 40 }, what === 'variables' ? named : counted)), 200);
    let most = 0;
    for (let before = 0, done = false; !done; before = read) {
      done = steps.next().done === true;
      most = Math.max(most, read - before);
    }
    expect(read).toBeGreaterThanOrEqual(40);
    expect(most).toBeLessThan(10);
  });

  it.each<[string, object]>([
    ['a long title', { title: 'x'.repeat(100_000) }],
    ['a long type', { type: 'x'.repeat(100_000) }],
    ['a long unit', { fieldConfig: { defaults: { unit: 'x'.repeat(100_000) } } }],
  ])('shortens %s in the report', (_, more) => {
    expect(JSON.stringify(of(panel('up', more)).report).length).toBeLessThan(2_000);
  });

  it('loses a variable whose query is too long', () => {
    const given = { ...job, query: `label_values(a${' '.repeat(70_000)}, job)` };
    expect(of(panel('up'), { templating: { list: [given] } }).report[0]).toMatchObject({
      kept: false,
      losses: ['its query is longer than 65536 characters'],
    });
  });

  it.each([
    {},
    { panels_: [] },
    { panels: 'none' },
    { rows: {} },
    { kind: 'Pod', spec: { containers: [] } },
    [],
    7,
    null,
  ])('refuses what is not of Grafana: %j', (json) => {
    expect(converted(json)).toHaveProperty('problem');
  });

  it('makes a model that can be saved of any JSON, and a line for each panel', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.constant({ x: 1 }),
      fc.constant([1]),
    );
    const anyPanel = fc.record(
      {
        ...{
          id: value,
          type: fc.constantFrom('timeseries', 'stat', 'text', 'row', 'x', 7),
          title: value,
          gridPos: fc.record({ x: value, y: value, w: value, h: value }),
        },
        ...{
          targets: fc.array(fc.record({ expr: fc.constantFrom('up', 'sum(', '', 5) })),
          options: value,
          fieldConfig: value,
          description: value,
          repeat: value,
        },
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.array(anyPanel, { maxLength: 4 }),
        value,
        fc.array(fc.record({ name: value, type: value, query: value, current: value })),
        (panels, any, list) => {
          const { model, report } = imported({
            title: any,
            description: any,
            tags: any,
            links: any,
            time: any,
            refresh: any,
            panels,
            templating: { list },
          });
          const parsed = DashboardModel.parse(model);
          expect(
            problemsOf(parsed, { panels: 1_000, bytes: 1e7 }).filter(
              ({ message }) => !message.includes('two variables'),
            ),
          ).toEqual([]);
          expect(report.filter(({ what }) => what === 'panel')).toHaveLength(panels.length);
        },
      ),
      { numRuns: 50 },
    );
  });
});
