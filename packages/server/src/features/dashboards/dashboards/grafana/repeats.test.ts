import { describe, expect, it } from 'vitest';
import { convertedGrafana, type Imported } from './convert-rules.ts';

function imported(json: unknown): Imported {
  const steps = convertedGrafana(json, 200);
  for (;;) {
    const { done, value } = steps.next();
    if (!done) continue;
    if ('problem' in value) throw new Error(value.problem);
    return value;
  }
}
const node = { name: 'node', type: 'query', query: 'label_values(up, instance)', multi: true };
const templating = { list: [node] };
const at = (y: number, h = 8, x = 0) => ({ gridPos: { x, y, w: 12, h } });
const graph = (title: string, more: object) => ({ title, type: 'timeseries', targets: [{ expr: 'up' }], ...more });
const row = (title: string, y: number, more: object = {}) => ({
  title,
  type: 'row',
  gridPos: { x: 0, y, w: 24, h: 1 },
  ...more,
});
const repeatsOf = ({ model }: Imported) => model.panels.map(({ title, repeat }) => [title, repeat]);
const lossesOf = ({ report }: Imported) => report.flatMap(({ losses }) => losses);

describe('repeats in an import from Grafana', () => {
  it('keeps repeated rows and panels', () => {
    const panels = [
      graph('CPU', { ...at(0), repeat: 'node', repeatDirection: 'h', maxPerRow: 3 }),
      graph('Disk', { ...at(8), repeat: 'node', repeatDirection: 'v' }),
      row('$node', 16, { repeat: 'node' }),
      graph('Memory', at(17)),
    ];
    const result = imported({ title: 'Node', panels, templating });
    expect(lossesOf(result)).toEqual([]);
    expect(repeatsOf(result)).toEqual([
      ['CPU', { variable: 'node', max_per_line: 3 }],
      ['Disk', { variable: 'node', direction: 'down' }],
      ['$node', { variable: 'node' }],
      ['Memory', undefined],
    ]);
  });

  it('keeps repeated rows of old dashboards, and repeats of version 2', () => {
    const old = { title: 'Old', rows: [{ title: '', repeat: 'node', panels: [graph('CPU', {})] }], templating };
    expect(repeatsOf(imported(old))).toEqual([
      ['', { variable: 'node' }],
      ['CPU', undefined],
    ]);
    const repeat = { mode: 'variable', value: 'node', direction: 'v' };
    const viz = { kind: 'VizConfig', group: 'text', spec: { options: { content: 'x' } } };
    const items = [{ spec: { element: { name: 'a' }, x: 0, y: 0, width: 12, height: 4, repeat } }];
    const layout = {
      kind: 'RowsLayout',
      spec: { rows: [{ spec: { title: 'Row', repeat, layout: { kind: 'GridLayout', spec: { items } } } }] },
    };
    const variables = [{ kind: 'QueryVariable', spec: node }];
    const v2 = { title: 'Two', elements: { a: { spec: { title: 'A', vizConfig: viz } } }, layout, variables };
    expect(repeatsOf(imported({ spec: v2 }))).toEqual([
      ['Row', { variable: 'node' }],
      ['A', { variable: 'node', direction: 'down' }],
    ]);
  });

  it('lists a repeat by a variable that is not imported', () => {
    const result = imported({ title: 'Node', panels: [graph('CPU', { ...at(0), repeat: 'disk' })], templating });
    expect(lossesOf(result)).toEqual(['it is shown once: $disk is no variable of the imported dashboard']);
  });

  it('leaves out the copies that Grafana has saved', () => {
    const panels = [
      graph('CPU', { ...at(0), id: 1, repeat: 'node' }),
      graph('CPU', { ...at(8), id: 2, repeatPanelId: 1, scopedVars: {} }),
    ];
    expect(imported({ title: 'Node', panels, templating }).model.panels).toHaveLength(1);
  });

  it('places the panels of collapsed rows below their row, before the next one', () => {
    const panels = [
      row('A', 0, { collapsed: true, panels: [graph('A1', at(1)), graph('A2', at(9, 4)), graph('A3', at(1, 12, 12))] }),
      row('B', 1, { collapsed: true, panels: [graph('B1', at(22))] }),
      row('C', 2),
      graph('C1', at(3)),
    ];
    const { model } = imported({ title: 'Node', panels });
    expect(model.panels.map(({ title, y }) => [title, y])).toEqual([
      ['A', 0],
      ['A1', 1],
      ['A2', 9],
      ['A3', 1],
      ['B', 13],
      ['B1', 14],
      ['C', 22],
      ['C1', 23],
    ]);
  });
});
