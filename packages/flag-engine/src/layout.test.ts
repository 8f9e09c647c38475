import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, layoutAfter, movedShares, type RolloutDraft, TOTAL_WEIGHT, type Weight } from './index.ts';
import { compiled, split } from './testing/flags.ts';

const units = Array.from({ length: 2_000 }, (_, i) => `unit-${i}`);

function servedBy(weights: readonly Weight[]): (string | null)[] {
  const flags = compiled([split('f', weights)]);
  return units.map((targetingKey) => evaluate(flags, 'f', { targetingKey }).variant);
}

/** The layout after a series of writes, each based on the previous one. */
function written(...writes: readonly (readonly Weight[])[]): readonly Weight[] {
  let rollout: RolloutDraft = { weights: writes[0] ?? [] };
  for (const weights of writes.slice(1)) {
    const layout = layoutAfter({ rollout }, { weights });
    rollout = { weights, ...(layout !== undefined && { layout }) };
  }
  return rollout.layout ?? rollout.weights;
}

const shares = (sizes: readonly number[]): Weight[] => {
  const sum = sizes.reduce((total, size) => total + size, 0);
  const weights = sizes.map((size) => Math.floor((size / sum) * TOTAL_WEIGHT));
  const rest = TOTAL_WEIGHT - weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight, i) => ({ variant: `v${i}`, weight: weight + (i === 0 ? rest : 0) }));
};
const anyShares = fc
  .array(fc.nat(100), { minLength: 2, maxLength: 5 })
  .filter((sizes) => sizes.some((size) => size > 0))
  .map(shares);
const shareOf = (parts: readonly Weight[], variant: string) =>
  parts.reduce((sum, part) => (part.variant === variant ? sum + part.weight : sum), 0);
const growth = (before: readonly Weight[], after: readonly Weight[]) =>
  after.reduce((sum, { variant }) => sum + Math.max(0, shareOf(after, variant) - shareOf(before, variant)), 0);

describe('layoutAfter', () => {
  it('keeps 10,000 units that the order of the weights would move', () => {
    // Three variants of a third each; the first grows by a third of the units, taken from the last.
    const before = shares([1, 1, 1]);
    const after = [
      { variant: 'v0', weight: 60_000 },
      { variant: 'v1', weight: 33_333 },
      { variant: 'v2', weight: 6_667 },
    ];
    const old = servedBy(before);
    const changed = (parts: readonly Weight[]) =>
      servedBy(parts).flatMap((variant, i) => (variant === old[i] ? [] : [`${old[i]} → ${variant}`]));
    expect(new Set(changed(after))).toContain('v1 → v0');
    expect(new Set(changed(written(before, after)))).toEqual(new Set(['v2 → v0']));
  });

  it('moves units only from shrinking to growing variants, over any series of writes', () => {
    fc.assert(
      fc.property(fc.array(anyShares, { minLength: 2, maxLength: 6 }), (writes) => {
        for (let i = 1; i < writes.length; i++) {
          const [before, after] = [written(...writes.slice(0, i)), written(...writes.slice(0, i + 1))];
          for (const { variant, weight } of writes[i] ?? []) expect(shareOf(after, variant)).toBe(weight);
          const [old, next] = [servedBy(before), servedBy(after)];
          for (const [unit, was] of old.entries()) {
            const is = next[unit] ?? '';
            if (is === was) continue;
            expect(shareOf(after, is)).toBeGreaterThan(shareOf(before, is));
            expect(shareOf(after, was ?? '')).toBeLessThan(shareOf(before, was ?? ''));
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('moves as few units as the weights allow', () => {
    fc.assert(
      fc.property(anyShares, anyShares, anyShares, (first, second, third) => {
        const rollout = { weights: second, layout: written(first, second) };
        const moved = movedShares({ rollout }, { rollout: { weights: third } });
        expect(moved.reduce((sum, { weight }) => sum + weight, 0)).toBe(growth(second, third));
      }),
    );
  });

  it('keeps the weights in order if that moves no more units', () => {
    const [small, large] = [shares([1, 9]), shares([2, 8])];
    expect(layoutAfter({ rollout: { weights: small } }, { weights: large })).toBeUndefined();
    expect(layoutAfter({ variant: 'v1' }, { weights: small })).toBeUndefined();
    expect(layoutAfter({}, { weights: small })).toBeUndefined();
  });

  it.each([
    ['a seed', { seed: 's' }],
    ['another attribute', { bucket_by: 'company' }],
    ['another hash', { hash: 'flagd' as const }],
  ])('keeps nothing under %s', (_, change) => {
    const before = { rollout: { weights: shares([1, 1, 1]) } };
    expect(layoutAfter(before, { weights: shares([2, 1, 0]), ...change })).toBeUndefined();
  });

  it('accepts a layout that fits the weights, and creates one otherwise', () => {
    const before = { rollout: { weights: shares([1, 1, 1]) } };
    const weights = shares([3, 2, 5]);
    const layout = [...weights].reverse();
    expect(layoutAfter(before, { weights, layout })).toEqual(layout);
    expect(layoutAfter(before, { weights, layout: weights })).toBeUndefined();
    expect(layoutAfter(before, { weights, layout: shares([1, 1, 1]) })).toEqual(layoutAfter(before, { weights }));
  });

  it('does not split the line into more and more parts', () => {
    const rng = fc.sample(anyShares, { numRuns: 300, seed: 7 });
    expect(written(...rng).length).toBeLessThan(60);
  });
});

describe('movedShares', () => {
  it('lists the moves between variants, largest first', () => {
    const before = { rollout: { weights: shares([5, 3, 2]) } };
    const after = { rollout: { weights: shares([2, 3, 5]) } };
    expect(movedShares(before, after)).toEqual([{ from: 'v0', to: 'v2', weight: 30_000 }]);
    expect(movedShares(before, { variant: 'v1' })).toEqual([
      { from: 'v0', to: 'v1', weight: 50_000 },
      { from: 'v2', to: 'v1', weight: 20_000 },
    ]);
    expect(movedShares(before, before)).toEqual([]);
  });

  it('estimates the moves when units are split again', () => {
    const weights = shares([1, 1]);
    const moved = movedShares({ rollout: { weights } }, { rollout: { weights, seed: 's' } });
    expect(moved).toEqual([
      { from: 'v0', to: 'v1', weight: 25_000 },
      { from: 'v1', to: 'v0', weight: 25_000 },
    ]);
  });

  it('omits the code default', () => {
    expect(movedShares({ variant: null }, { variant: 'v0' })).toEqual([]);
  });
});
