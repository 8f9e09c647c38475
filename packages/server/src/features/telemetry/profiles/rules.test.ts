import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aroundFunction, type FlameNode, fold, otherName, type Stack, selfOf, unitOf } from './rules.ts';

const stack = (path: string, ...values: number[]): Stack => ({
  frames: path === '' ? [] : path.split(' ').map((name) => ({ name, file: '' })),
  values,
});
/** `main 10/1` for total 10 and self 1, indented by depth. */
function drawn(nodes: readonly FlameNode[]): string[] {
  const depth: number[] = [];
  return nodes.map(({ parent, name, total, self }, at) => {
    depth[at] = parent === null ? 0 : (depth[parent] ?? 0) + 1;
    return `${'  '.repeat(depth[at] ?? 0)}${name} ${total.join(',')}/${self.join(',')}`;
  });
}
const all = { windows: 1, maxNodes: 1000 };

describe('folding stacks', () => {
  it('merges common prefixes, largest first', () => {
    const { total, nodes } = fold([stack('main a b', 5), stack('main a', 2), stack('main c', 9)], all);
    expect(total).toEqual([16]);
    expect(drawn(nodes)).toEqual(['main 16/0', '  c 9/9', '  a 7/2', '    b 5/5']);
  });
  it('separates functions of the same name in different files, and keeps recursion', () => {
    const frames = [
      { name: 'f', file: 'a.ts' },
      { name: 'f', file: 'a.ts' },
      { name: 'f', file: 'b.ts' },
    ];
    expect(fold([{ frames, values: [1] }], all).nodes.map(({ parent, file }) => [parent, file])).toEqual([
      [null, 'a.ts'],
      [0, 'a.ts'],
      [1, 'b.ts'],
    ]);
  });
  it('counts a stack without a description', () => {
    expect(drawn(fold([stack('', 3)], all).nodes)).toEqual(['(unknown) 3/3']);
  });
  it('merges two windows into one tree', () => {
    const { total, nodes } = fold([stack('main a', 5, 0), stack('main b', 1, 4)], { windows: 2, maxNodes: 10 });
    expect(total).toEqual([6, 4]);
    expect(drawn(nodes)).toEqual(['main 6,4/0,0', '  a 5,0/5,0', '  b 1,4/1,4']);
  });
  it('merges branches that are too small, and loses nothing', () => {
    const { nodes } = fold([stack('main a', 90), stack('main b x', 5), stack('main c', 3)], {
      windows: 1,
      maxNodes: 2,
    });
    expect(drawn(nodes)).toEqual(['main 98/0', '  a 90/90', `  ${otherName} 8/8`]);
  });

  const stacks = fc.array(
    fc.record({
      frames: fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), file: fc.constantFrom('', 'f') }), {
        maxLength: 8,
      }),
      values: fc.tuple(fc.nat(1000), fc.nat(1000)),
    }),
    { maxLength: 60 },
  );
  it('returns consistent totals for any stacks and any limit', () => {
    fc.assert(
      fc.property(stacks, fc.integer({ min: 1, max: 40 }), (given, maxNodes) => {
        const { total, nodes } = fold(given, { windows: 2, maxNodes });
        for (const window of [0, 1]) {
          const sum = given.reduce((all, { values }) => all + (values[window] ?? 0), 0);
          expect(total[window]).toBe(sum);
          const below = nodes.map(() => 0);
          let roots = 0;
          for (const [at, { parent, total: own }] of nodes.entries()) {
            if (parent === null) roots += own[window] ?? 0;
            else {
              expect(parent).toBeLessThan(at);
              below[parent] = (below[parent] ?? 0) + (own[window] ?? 0);
            }
          }
          expect(roots).toBe(sum);
          for (const [at, { total: own, self }] of nodes.entries())
            expect((self[window] ?? 0) + (below[at] ?? 0)).toBe(own[window]);
        }
        expect(nodes.filter(({ name }) => name !== otherName).length).toBeLessThanOrEqual(maxNodes);
      }),
    );
  });
  it('does not overflow on deep stacks', () => {
    const deep = stack(Array.from({ length: 50_000 }, (_, i) => `f${i}`).join(' '), 1);
    expect(fold([deep], { windows: 1, maxNodes: 100_000 }).nodes).toHaveLength(50_000);
  });
});

describe('the callers and callees of a function', () => {
  const stacks = [stack('main a f x', 5), stack('main b f', 2), stack('main a f f y', 3), stack('main z', 7)];
  it('include each stack once', () => {
    const { callers, callees } = aroundFunction(stacks, 'f');
    expect(drawn(fold(callers, all).nodes)).toEqual(['f 10/0', '  a 8/0', '    main 8/8', '  b 2/0', '    main 2/2']);
    expect(drawn(fold(callees, all).nodes)).toEqual(['f 10/2', '  x 5/5', '  f 3/0', '    y 3/3']);
    expect(selfOf(stacks, 'f')).toBe(2);
  });
  it('are empty for an unknown function', () => {
    expect(aroundFunction(stacks, 'g')).toEqual({ callers: [], callees: [] });
  });
});

describe('the unit of a profile type', () => {
  it.each([
    ['cpu:nanoseconds', 'nanoseconds'],
    ['alloc_space:bytes', 'bytes'],
    ['samples', 'count'],
  ])('%s is %s', (type, unit) => expect(unitOf(type)).toBe(unit));
});
