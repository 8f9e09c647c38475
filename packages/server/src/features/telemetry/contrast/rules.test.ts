import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conditionOf, cramersV, type FieldCounts, rankFields } from './rules.ts';

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
/** χ² by its definition: Σ (observed − expected)² / expected. */
function chiSquared(table: readonly (readonly [number, number])[]): number {
  const a = table.reduce((sum, [x]) => sum + x, 0);
  const b = table.reduce((sum, [, y]) => sum + y, 0);
  const n = a + b;
  return table.reduce((sum, [x, y]) => {
    const expected = [((x + y) * a) / n, ((x + y) * b) / n] as const;
    return sum + (x - expected[0]) ** 2 / expected[0] + (y - expected[1]) ** 2 / expected[1];
  }, 0);
}

describe("Cramér's V", () => {
  it('is 1 when a value determines the side of a row, and 0 when it is independent of it', () => {
    expect(cramersV(counts({ x: [50, 0], y: [0, 50] }), { selection: 50, baseline: 50 })).toBeCloseTo(1, 10);
    expect(cramersV(counts({ x: [25, 25], y: [25, 25] }), { selection: 50, baseline: 50 })).toBe(0);
  });
  it('is 0 for ids, which differ in every row', () => {
    const ids = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`id${n}`, n % 2 === 0 ? ([1, 0] as const) : ([0, 1] as const)]),
    );
    expect(cramersV(counts(ids), { selection: 100, baseline: 100 })).toBe(0);
  });
  it('counts rows without the field as a value', () => {
    expect(cramersV(counts({ x: [50, 0] }), { selection: 50, baseline: 50 })).toBeCloseTo(1, 10);
    expect(cramersV(counts({ x: [50, 50] }), { selection: 50, baseline: 50 })).toBe(0);
  });
  it('is 0 when one side is empty', () => {
    expect(cramersV(counts({ x: [5, 0], y: [5, 0] }), { selection: 10, baseline: 0 })).toBe(0);
  });
  // A worked example: 20/30 and 80/70 of 100 each. χ² = 2.6667, φ² = 0.013333, corrected by 1/199.
  it('is corrected for its bias', () => {
    const v = cramersV(counts({ x: [20, 30], y: [80, 70] }), { selection: 100, baseline: 100 });
    expect(v).toBeCloseTo(Math.sqrt((2.66666667 / 200 - 1 / 199) / (1 - 1 / 199)), 8);
  });
  it('matches the definition of χ² for any table', () => {
    const cell = fc.integer({ min: 0, max: 50 });
    const table = fc.array(
      fc.tuple(cell, cell).filter(([a, b]) => a + b > 0),
      { minLength: 2, maxLength: 8 },
    );
    fc.assert(
      fc.property(table, (rows) => {
        const made = counts(Object.fromEntries(rows.map((row, n) => [`v${n}`, row])));
        const total = { selection: made.selection, baseline: made.baseline };
        const n = total.selection + total.baseline;
        if (total.selection === 0 || total.baseline === 0 || n < 3) return;
        const corrected = Math.max(0, chiSquared(rows) / n - (rows.length - 1) / (n - 1));
        const least = Math.min(rows.length - (rows.length - 1) ** 2 / (n - 1), 2 - 1 / (n - 1)) - 1;
        const expected = least <= 0 ? 0 : Math.min(1, Math.sqrt(corrected / least));
        expect(Math.abs(cramersV(made, total) - expected)).toBeLessThan(1e-6);
      }),
    );
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
