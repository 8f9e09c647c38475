import { describe, expect, it } from 'vitest';
import { type FlameNode, functionTotals, layoutFlame, matchedShare } from './flame.ts';

const node = (parent: number | null, name: string, total: number, self: number, base_total?: number): FlameNode => ({
  parent,
  name,
  file: `${name}.go`,
  self,
  total,
  ...(base_total !== undefined && { base_total }),
});
const tree = [
  node(null, 'main', 100, 0),
  node(0, 'serve', 80, 10),
  node(1, 'parse', 50, 50),
  node(1, 'serve', 20, 20),
  node(0, 'gc', 20, 20),
];

describe('layoutFlame', () => {
  it('places children side by side within their parent', () => {
    expect(layoutFlame(tree)).toEqual([
      { index: 0, depth: 0, left: 0, width: 1 },
      { index: 1, depth: 1, left: 0, width: 0.8 },
      { index: 2, depth: 2, left: 0, width: 0.5 },
      { index: 3, depth: 2, left: 0.5, width: 0.2 },
      { index: 4, depth: 1, left: 0.8, width: 0.2 },
    ]);
  });

  it('fills the width with a zoomed node and its ancestors, and drops its neighbors', () => {
    const boxes = layoutFlame(tree, 1);
    expect(boxes.map(({ index, width }) => [index, width])).toEqual([
      [0, 1],
      [1, 1],
      [2, 0.625],
      [3, 0.25],
    ]);
  });

  it('omits boxes that are too narrow, with their descendants', () => {
    expect(layoutFlame(tree, null, 0.6).map(({ index }) => index)).toEqual([0, 1]);
  });

  it('keeps the previous width of a removed function', () => {
    const [, gone] = layoutFlame([node(null, 'main', 0, 0, 100), node(0, 'old', 0, 0, 60)]);
    expect(gone).toMatchObject({ index: 1, width: 0.6 });
  });
});

it('sums functions and counts recursion once', () => {
  expect(functionTotals(tree).map(({ name, self, total }) => [name, self, total])).toEqual([
    ['parse', 50, 50],
    ['serve', 30, 80],
    ['gc', 20, 20],
    ['main', 0, 100],
  ]);
});

it('returns the share of the total that a search matches', () => {
  expect(matchedShare(tree, 'SERVE')).toBe(0.8);
  expect(matchedShare(tree, 'gc.go')).toBe(0.2);
  expect(matchedShare(tree, ' ')).toBe(0);
});
