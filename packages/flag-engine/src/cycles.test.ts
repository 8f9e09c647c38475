import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestChain, prerequisiteCycle, segmentCycle, segmentsNamed } from './index.ts';

describe('prerequisiteCycle', () => {
  const graph = new Map([
    ['a', ['b', 'c']],
    ['b', ['d']],
    ['c', ['d']],
    ['d', []],
  ]);

  it.each([
    ['a diamond', 'a', ['b', 'c'], undefined],
    ['a new edge down', 'b', ['c', 'd'], undefined],
    ['itself', 'd', ['d'], ['d', 'd']],
    ['through others', 'd', ['a'], ['d', 'a', 'b', 'd']],
    ['a flag that does not exist', 'd', ['x'], undefined],
    ['nothing', 'a', [], undefined],
  ])('%s', (_, key, requires, cycle) => {
    expect(prerequisiteCycle(graph, key, requires)).toEqual(cycle);
    expect(segmentCycle(graph, key, requires)).toEqual(cycle);
  });

  it('finds no cycle in an acyclic graph, and one as soon as an edge points back', () => {
    const edges = fc.array(fc.tuple(fc.nat(30), fc.nat(30)), { maxLength: 100 });
    fc.assert(
      fc.property(edges, fc.nat(30), fc.nat(30), (pairs, from, to) => {
        const downward = new Map<string, string[]>();
        for (const [a, b] of pairs) {
          if (a > b) downward.set(`${a}`, [...(downward.get(`${a}`) ?? []), `${b}`]);
        }
        for (const [key, requires] of downward) expect(prerequisiteCycle(downward, key, requires)).toBeUndefined();
        const path = prerequisiteCycle(downward, `${from}`, [`${to}`]);
        if (path === undefined) return;
        // Each step of the path is an edge, and it comes back to where it began.
        expect([path[0], path[1], path.at(-1)]).toEqual([`${from}`, `${to}`, `${from}`]);
        for (let i = 1; i < path.length - 1; i++) expect(downward.get(path[i] ?? '')).toContain(path[i + 1]);
      }),
    );
  });

  it('handles a chain of a hundred thousand', () => {
    const chain = new Map(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, [`f${i + 1}`]]));
    expect(prerequisiteCycle(chain, 'f100000', ['f0'])).toHaveLength(100_002);
    expect(longestChain(chain, 'f100000', [])).toBe(100_000);
  });
});

describe('longestChain', () => {
  const graph = new Map([
    ['top', ['middle']],
    ['middle', ['left', 'right']],
    ['left', ['deep']],
    ['deep', []],
    ['right', []],
  ]);

  it.each([
    ['in the middle, above and below', 'middle', ['left', 'right'], 3],
    ['by what it would require', 'middle', ['right'], 2],
    ['at the end', 'deep', [], 3],
    ['alone', 'other', [], 0],
  ])('counts %s', (_, key, requires, length) => {
    expect(longestChain(graph, key, requires)).toBe(length);
  });

  it('counts a prerequisite of sixty thousand flags without copying the list for each', () => {
    const popular = new Map(Array.from({ length: 60_000 }, (_, i) => [`f${i}`, ['popular']]));
    expect(longestChain(popular, 'popular', ['base'])).toBe(2);
  });
});

describe('segmentsNamed', () => {
  it('lists each once', () => {
    const clause = (op: string, ...values: unknown[]) => ({ op, values });
    const rules = [
      { clauses: [clause('in_segment', 'a', 'b'), clause('in', 'c')] },
      { clauses: [clause('in_segment', 'b', 7)] },
    ];
    expect(segmentsNamed(rules)).toEqual(['a', 'b']);
  });
});
