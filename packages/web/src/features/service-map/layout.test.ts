import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { curve, fitMap, NODE, type Point, placeMap } from './layout.ts';

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

/** Whether the box of two points touches the inside of a node. */
function crosses([a, b]: readonly [Point, Point], { x, y }: Point): boolean {
  const [left, right] = [x - NODE.width / 2 + 1, x + NODE.width / 2 - 1];
  const [top, bottom] = [y - NODE.height / 2 + 1, y + NODE.height / 2 - 1];
  return (
    Math.max(a.x, b.x) > left && Math.min(a.x, b.x) < right && Math.max(a.y, b.y) > top && Math.min(a.y, b.y) < bottom
  );
}

it('routes no edge behind a node, whatever calls what', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 12 }),
      fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 30 }),
      fc.constantFrom(120, 40),
      (count, calls, gap) => {
        const nodes = Array.from({ length: count }, (_, id) => ({ id: String(id) }));
        const names = new Set(calls.map(([a, b]) => `${a % count} ${b % count}`));
        const edges = [...names].map((name) => {
          const [source = '', target = ''] = name.split(' ');
          return { source, target };
        });
        const map = placeMap(nodes, edges, { gap, node: NODE.width });
        for (const { points } of map.edges) {
          points.slice(1).forEach((point, index) => {
            const before = points[index] ?? point;
            for (const node of map.nodes) expect(crosses([before, point], node)).toBe(false);
          });
        }
      },
    ),
    { numRuns: 200 },
  );
});

it('takes the widest gaps and nodes that fit, and never smaller text', () => {
  const nodes = ['a', 'b', 'c'].map((id) => ({ id }));
  const edges = [
    { source: 'a', target: 'b' },
    { source: 'b', target: 'c' },
  ];
  const wide = fitMap(nodes, edges, 2000);
  const narrow = fitMap(nodes, edges, wide.width - 1);
  expect(narrow.width).toBeLessThan(wide.width);
  const tight = fitMap(nodes, edges, 100);
  expect(tight.nodeWidth).toBeLessThan(NODE.width);
  expect(tight.width).toBeGreaterThan(3 * tight.nodeWidth);
});

it('draws curves that leave and reach each point horizontally', () => {
  const points = [
    { x: 0, y: 0 },
    { x: 10, y: 8 },
    { x: 20, y: 8 },
  ];
  expect(curve(points)).toBe('M0.0 0.0C5.0 0.0 5.0 8.0 10.0 8.0L20.0 8.0');
  expect(curve([])).toBe('');
});
