import { describe, expect, it } from 'vitest';
import { type Part, planBlocks, tablesInOrder } from './rules.ts';

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
