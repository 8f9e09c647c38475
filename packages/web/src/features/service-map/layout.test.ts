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

  it('puts what is called to the right of its caller, also where calls go in a circle', () => {
    expect(at.get('a')?.x).toBeLessThan(at.get('b')?.x ?? 0);
    expect(at.get('b')?.x).toBeLessThan(at.get('c')?.x ?? 0);
    expect(map.nodes).toHaveLength(4);
  });

  it('nodes do not overlap and lie inside', () => {
    for (const { x, y, node } of map.nodes) {
      expect(x - NODE.width / 2).toBeGreaterThanOrEqual(0);
      expect(y + NODE.height / 2).toBeLessThanOrEqual(map.height);
      for (const other of map.nodes) {
        if (other.node === node) continue;
        expect(Math.abs(other.x - x) >= NODE.width || Math.abs(other.y - y) >= NODE.height).toBe(true);
      }
    }
  });

  it('leaves out calls to oneself and to what is not there', () => {
    expect(map.edges.map(({ edge }) => edge)).toEqual(edges.slice(0, 3));
    expect(map.edges.every(({ points }) => points.length >= 2)).toBe(true);
  });

  it('an empty map is empty', () => expect(placeMap([], [])).toMatchObject({ nodes: [], edges: [] }));
});

it('a curve begins and ends where its points do', () => {
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
