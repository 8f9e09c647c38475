import { describe, expect, it } from 'vitest';
import { type Block, type Part, planBlocks, splitBlock, tablesInOrder } from './rules.ts';

const limits = { rows: 100, bytes: 1_000 };
const part = (name: string, rows: number, bytes = rows): Part => ({
  ...{ table: 'spans', partition: '20261128-30', name, rows, bytes },
});

describe('planBlocks', () => {
  it('puts small parts together up to the limits of rows and bytes', () => {
    expect(
      planBlocks([part('a', 60), part('b', 40), part('c', 1), part('d', 1, 999), part('e', 1, 2)], limits),
    ).toEqual([{ parts: ['a', 'b'] }, { parts: ['c', 'd'] }, { parts: ['e'] }]);
  });

  it('divides a part beyond the limits into ranges that have each of its rows once', () => {
    expect(planBlocks([part('a', 250)], limits)).toEqual([
      { parts: ['a'], from: 0, to: 100 },
      { parts: ['a'], from: 100, to: 200 },
      { parts: ['a'], from: 200, to: 250 },
    ]);
    expect(planBlocks([part('a', 10, 5_000)], limits).map(({ from, to }) => [from, to])).toEqual([
      ...[0, 2, 4, 6, 8].map((from) => [from, from + 2]),
    ]);
  });

  it('reads at least one row at once, however large it is', () => {
    expect(planBlocks([part('a', 2, 50_000)], limits)).toHaveLength(2);
  });
});

describe('splitBlock', () => {
  const parts = [part('a', 5), part('b', 1)];

  it('divides a block into its parts, and a part into halves until there is one row', () => {
    expect(splitBlock({ parts: ['a', 'b'] }, parts)).toEqual([{ parts: ['a'] }, { parts: ['b'] }]);
    expect(splitBlock({ parts: ['a'] }, parts)).toEqual([
      { parts: ['a'], from: 0, to: 2 },
      { parts: ['a'], from: 2, to: 5 },
    ]);
    expect(splitBlock({ parts: ['b'] }, parts)).toEqual([]);
  });

  it('leaves out no row and doubles none', () => {
    const rowsOf = ({ from = 0, to = 5 }: Block) => Array.from({ length: to - from }, (_, n) => from + n);
    const leaves = (block: Block): number[] => {
      const halves = splitBlock(block, parts);
      return halves.length === 0 ? rowsOf(block) : halves.flatMap(leaves);
    };
    expect(leaves({ parts: ['a'] })).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('tablesInOrder', () => {
  it('orders tables after those to which they refer', () => {
    const references = [
      { from: 'flags', to: 'projects' },
      { from: 'projects', to: 'workspaces' },
      { from: 'flags', to: 'flags' },
    ];
    expect(tablesInOrder(['flags', 'projects', 'workspaces', 'jobs'], references)).toEqual([
      ...['workspaces', 'jobs'],
      'projects',
      'flags',
    ]);
  });

  it('rejects tables that refer to each other', () => {
    const circle = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ];
    expect(() => tablesInOrder(['a', 'b'], circle)).toThrow('in a circle: a, b');
  });
});
