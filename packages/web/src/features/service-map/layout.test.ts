import { describe, expect, it } from 'vitest';
import { curve, NODE, placeMap } from './layout.ts';

describe('placeMap', () => {
  const nodes = ['a', 'b', 'c', 'alone'].map((id) => ({ id }));
  const edges = [
    { source: 'a', target: 'b' },
    { source: 'b', target: 'c' },
    { source: 'c', target: 'a' },
    { source: 'b', target: 'b' },
    { source: 'a', target: 'gone' },
  ];
  const map = placeMap(nodes, edges);
  const at = new Map(map.nodes.map(({ node, x, y }) => [node.id, { x, y }]));

  it('places callees to the right of their callers, even in a cycle', () => {
    expect(at.get('a')?.x).toBeLessThan(at.get('b')?.x ?? 0);
    expect(at.get('b')?.x).toBeLessThan(at.get('c')?.x ?? 0);
    expect(map.nodes).toHaveLength(4);
  });

  it('places nodes inside the map without overlap', () => {
    for (const { x, y, node } of map.nodes) {
      expect(x - NODE.width / 2).toBeGreaterThanOrEqual(0);
      expect(y + NODE.height / 2).toBeLessThanOrEqual(map.height);
      for (const other of map.nodes) {
        if (other.node === node) continue;
        expect(Math.abs(other.x - x) >= NODE.width || Math.abs(other.y - y) >= NODE.height).toBe(true);
      }
    }
  });

  it('omits self-calls and calls to unknown nodes', () => {
    expect(map.edges.map(({ edge }) => edge)).toEqual(edges.slice(0, 3));
    expect(map.edges.every(({ points }) => points.length >= 2)).toBe(true);
  });

  it('returns an empty map for no nodes', () => expect(placeMap([], [])).toMatchObject({ nodes: [], edges: [] }));
});

it('starts and ends a curve at its first and last points', () => {
  expect(
    curve([
      { x: 0, y: 0 },
      { x: 5, y: 5 },
    ]),
  ).toBe('M0.0 0.0L5.0 5.0');
  expect(
    curve([
      { x: 0, y: 0 },
      { x: 2, y: 4 },
      { x: 9, y: 9 },
    ]),
  ).toBe('M0.0 0.0Q2.0 4.0 9.0 9.0');
  expect(curve([])).toBe('');
});
