import type { DashboardPanel } from '@fanion/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Box, bottom, inReadingOrder, settled, unfolded, uniqueNames, within } from './layout.ts';

const box = (id: string, x: number, y: number, w = 12, h = 4): Box => ({ id, x, y, w, h });

describe('the grid of a dashboard', () => {
  it('moves panels below the one that is put on them', () => {
    const panels = [box('a', 0, 2), box('b', 0, 0), box('c', 0, 4)];
    expect(settled(panels, 'a').map(({ id, y }) => [id, y])).toEqual([
      ['a', 2],
      ['b', 6],
      ['c', 10],
    ]);
  });

  it('leaves panels beside it where they are', () => {
    expect(settled([box('a', 0, 0), box('b', 12, 0)], 'a')).toEqual([box('a', 0, 0), box('b', 12, 0)]);
  });

  it.each([
    ['left of the edge', { x: -3 }, box('a', 0, 0)],
    ['right of the edge', { x: 20 }, box('a', 12, 0)],
    ['wider than the grid', { w: 99 }, box('a', 0, 0, 24)],
    ['above the top', { y: -1 }, box('a', 0, 0)],
    ['to nothing', { w: 0, h: 0 }, box('a', 0, 0, 1, 1)],
  ])('keeps a panel within it that goes %s', (_, change, expected) => {
    expect(within(box('a', 0, 0), change)).toEqual(expected);
  });

  it('never has two panels in one place', () => {
    const someBox = fc.record({
      x: fc.nat(23),
      y: fc.nat(20),
      w: fc.integer({ min: 1, max: 24 }),
      h: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(fc.array(someBox, { minLength: 1, maxLength: 8 }), (boxes) => {
        const panels = boxes.map((one, at) => within({ ...one, id: `p${at}` }, {}));
        const placed = settled(panels, 'p0');
        expect(placed[0]).toEqual(panels[0]);
        for (const a of placed)
          for (const b of placed)
            if (a.id < b.id)
              expect(a.x >= b.x + b.w || b.x >= a.x + a.w || a.y >= b.y + b.h || b.y >= a.y + a.h).toBe(true);
      }),
    );
  });

  it('hides the panels of collapsed rows, and moves up what is below', () => {
    const panel = (id: string, y: number, h: number, more: object = {}) =>
      ({ ...box(id, 0, y, 24, h), type: 'stat', title: '', description: '', ...more }) as DashboardPanel;
    const row = (id: string, y: number, collapsed: boolean) => panel(id, y, 1, { type: 'row', collapsed });
    const panels = [panel('a', 0, 2), row('r', 2, true), panel('b', 3, 4), row('s', 7, false), panel('c', 8, 2)];
    expect(unfolded(panels).map(({ id, y }) => [id, y])).toEqual([
      ['a', 0],
      ['r', 2],
      ['s', 3],
      ['c', 4],
    ]);
    expect(bottom(panels)).toBe(10);
    expect(inReadingOrder([panels[4], panels[0]] as DashboardPanel[]).map(({ id }) => id)).toEqual(['a', 'c']);
  });
});

it('numbers panels that share a title', () => {
  expect(uniqueNames(['Errors', 'Requests', 'Errors', 'Errors'])).toEqual([
    'Errors',
    'Requests',
    'Errors (2)',
    'Errors (3)',
  ]);
});
