import { describe, expect, it } from 'vitest';
import { conditionOf, differenceOf, type FieldCounts, rankFields } from './rules.ts';

/** Counts of a field, from the counts of its values on both sides. */
function counts(values: Record<string, readonly [number, number]>, field = 'f'): FieldCounts {
  const all = Object.entries(values);
  const sum = (of: (value: readonly [number, number]) => number) =>
    all.reduce((total, [, value]) => total + of(value), 0);
  return {
    field,
    distinct: all.length,
    selection: sum(([a]) => a),
    baseline: sum(([, b]) => b),
    squares: sum(([a, b]) => (a * a) / (a + b)),
    values: all.map(([value, [a, b]]) => [value, a, b] as const),
  };
}
describe('the difference of a field', () => {
  it('is 1 when a value determines the side of a row, and 0 when it is independent of it', () => {
    expect(differenceOf(counts({ x: [50, 0], y: [0, 50] }), { selection: 50, baseline: 50 })).toBeCloseTo(1, 10);
    expect(differenceOf(counts({ x: [25, 25], y: [25, 25] }), { selection: 50, baseline: 50 })).toBe(0);
  });
  it('is 0 for ids, which differ in every row', () => {
    const ids = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`id${n}`, n % 2 === 0 ? ([1, 0] as const) : ([0, 1] as const)]),
    );
    expect(differenceOf(counts(ids), { selection: 100, baseline: 100 })).toBe(0);
  });
  it('counts rows without the field as a value', () => {
    expect(differenceOf(counts({ x: [50, 0] }), { selection: 50, baseline: 50 })).toBeCloseTo(1, 10);
    expect(differenceOf(counts({ x: [50, 50] }), { selection: 50, baseline: 50 })).toBe(0);
  });
  it('is 0 when one side is empty', () => {
    expect(differenceOf(counts({ x: [5, 0], y: [5, 0] }), { selection: 10, baseline: 0 })).toBe(0);
  });
});

describe('ranking', () => {
  it('lists the best first, and leaves out fields without effect and those in the conditions', () => {
    const fields = [
      counts({ a: [90, 10], b: [10, 90] }, 'strong'),
      counts({ a: [60, 40], b: [40, 60] }, 'weak'),
      counts({ a: [50, 50], b: [50, 50] }, 'nothing'),
      counts({ a: [100, 0], b: [0, 100] }, 'status'),
    ];
    const ranked = rankFields(fields, { selection: 100, baseline: 100 }, new Set(['status']));
    expect(ranked.map(({ field }) => field)).toEqual(['strong', 'weak']);
    expect(ranked[0]?.values[0]).toEqual({
      value: 'a',
      selection: 90,
      baseline: 10,
      selection_share: 0.9,
      baseline_share: 0.1,
    });
  });
});

describe('conditionOf', () => {
  const none = { where: undefined, fromNs: undefined, toNs: undefined, minDuration: undefined, maxDuration: undefined };
  it('combines a selection into one condition', () => {
    const all = { where: '(status == error\n)', fromNs: 1n, toNs: 2n, minDuration: '5ms', maxDuration: '1s' };
    expect(conditionOf(all, (ns) => `t${ns}`)).toBe(
      '(status == error\n) and time >= t1 and time < t2 and duration >= 5ms and duration < 1s',
    );
    expect(conditionOf(none, String)).toBeUndefined();
  });
});
