import { describe, expect, it } from 'vitest';
import { DashboardPanel } from './model.ts';
import { mostCopies, mostRepeatedPanels, withRepeats } from './repeats.ts';

const panelOf = (given: object) => DashboardPanel.parse({ type: 'text', text: '', x: 0, y: 0, w: 12, h: 4, ...given });
const row = (id: string, y: number, more: object = {}) => panelOf({ id, type: 'row', y, w: 24, h: 1, ...more });
const by = (variable: string, more: object = {}) => ({ repeat: { variable, ...more } });
const boxes = (panels: readonly DashboardPanel[]) =>
  panels.map(({ id, x, y, w, variables }) => [id, x, y, w, variables?.node ?? null]);
const nodes = (values: readonly string[] | undefined) => (name: string) => (name === 'node' ? values : undefined);

describe('repeats by a variable', () => {
  it('shows panels without a repetition unchanged', () => {
    const panels = [row('a', 0), panelOf({ id: 'b', y: 1 })];
    expect(withRepeats(panels, nodes(['n1', 'n2']))).toEqual(panels);
  });

  it('copies a row with its panels, and moves the next rows down', () => {
    const panels = [
      panelOf({ id: 'top' }),
      row('node', 4, by('node')),
      panelOf({ id: 'cpu', y: 5 }),
      panelOf({ id: 'disk', x: 12, y: 5, h: 6 }),
      row('rest', 11),
      panelOf({ id: 'last', y: 12 }),
    ];
    const repeated = withRepeats(panels, nodes(['n1', 'n2']));
    expect(boxes(repeated)).toEqual([
      ['top', 0, 0, 12, null],
      ['node', 0, 4, 24, 'n1'],
      ['cpu', 0, 5, 12, 'n1'],
      ['disk', 12, 5, 12, 'n1'],
      ['node-2', 0, 11, 24, 'n2'],
      ['cpu-2', 0, 12, 12, 'n2'],
      ['disk-2', 12, 12, 12, 'n2'],
      ['rest', 0, 18, 24, null],
      ['last', 0, 19, 12, null],
    ]);
    expect(repeated.every(({ repeat }) => repeat === undefined)).toBe(true);
  });

  it('places the copies of a panel beside each other, a few in each line', () => {
    const panels = [panelOf({ id: 'cpu', ...by('node', { max_per_line: 2 }) }), panelOf({ id: 'below', y: 4 })];
    expect(boxes(withRepeats(panels, nodes(['n1', 'n2', 'n3'])))).toEqual([
      ['cpu', 0, 0, 12, 'n1'],
      ['cpu-2', 12, 0, 12, 'n2'],
      ['cpu-3', 0, 4, 12, 'n3'],
      ['below', 0, 8, 12, null],
    ]);
  });

  it('places the copies of a panel below each other', () => {
    const panels = [
      panelOf({ id: 'cpu', ...by('node', { direction: 'down' }) }),
      panelOf({ id: 'beside', x: 12 }),
      panelOf({ id: 'below', y: 4 }),
    ];
    expect(boxes(withRepeats(panels, nodes(['n1', 'n2'])))).toEqual([
      ['cpu', 0, 0, 12, 'n1'],
      ['cpu-2', 0, 4, 12, 'n2'],
      ['beside', 12, 0, 12, null],
      ['below', 0, 8, 12, null],
    ]);
  });

  it('copies a repeated panel within each copy of its row', () => {
    const values = (name: string) => (name === 'node' ? ['n1', 'n2'] : ['sda', 'sdb']);
    const repeated = withRepeats([row('r', 0, by('node')), panelOf({ id: 'io', y: 1, ...by('disk') })], values);
    expect(repeated.map(({ id, variables }) => [id, variables])).toEqual([
      ['r', { node: 'n1' }],
      ['io', { node: 'n1', disk: 'sda' }],
      ['io-2', { node: 'n1', disk: 'sdb' }],
      ['r-2', { node: 'n2' }],
      ['io-3', { node: 'n2', disk: 'sda' }],
      ['io-4', { node: 'n2', disk: 'sdb' }],
    ]);
    expect(new Set(repeated.map(({ id }) => id)).size).toBe(6);
  });

  it.each([undefined, []])('shows a panel once while the values are %j', (values) => {
    const panels = [panelOf({ id: 'cpu', ...by('node') })];
    expect(withRepeats(panels, nodes(values))).toEqual(panels);
  });

  it('makes a limited number of copies, and says so below them', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `n${at}`);
    const said = expect.stringContaining(`The first ${mostCopies} of 1000 values of \`$node\``);
    const copies = withRepeats([panelOf({ id: 'cpu', ...by('node') }), panelOf({ id: 'below', y: 4 })], nodes(many));
    expect(copies).toHaveLength(mostCopies + 2);
    expect(copies.slice(-2)).toMatchObject([
      { type: 'text', text: said, x: 0, y: 52, w: 24 },
      { id: 'below', y: 54 },
    ]);
    const rows = withRepeats([row('r', 0, by('node')), panelOf({ id: 'cpu', y: 1 }), row('next', 5)], nodes(many));
    expect(rows.slice(-2)).toMatchObject([
      { type: 'text', text: said, y: 250 },
      { id: 'next', y: 252 },
    ]);
    for (const { id } of [...copies, ...rows]) expect(id.length).toBeLessThanOrEqual(64);
    const panels = [
      row('r', 0, by('node')),
      ...Array.from({ length: 99 }, (_, at) => panelOf({ id: `p${at}`, y: at + 1 })),
    ];
    const shown = withRepeats(panels, nodes(many));
    expect(shown).toHaveLength(mostRepeatedPanels);
    expect(shown.at(-1)).toMatchObject({ type: 'text', text: expect.stringContaining('500 panels') });
    expect(new Set(shown.map(({ id }) => id)).size).toBe(mostRepeatedPanels);
  });

  it('keeps ids within their longest form', () => {
    const id = 'a'.repeat(64);
    const [, copy] = withRepeats([panelOf({ id, ...by('node') })], nodes(['n1', 'n2']));
    expect(copy?.id).toBe(`${'a'.repeat(62)}-2`);
  });
});
