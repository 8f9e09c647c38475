import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { weightsOf } from './weights.ts';

describe('weights', () => {
  it('sum to the whole and end within rounding of their original bucket', () => {
    const buckets = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(buckets, (sizes) => {
        const total = sizes.reduce((a, b) => a + b, 0);
        fc.pre(total > 0);
        const parts = sizes.map((size, i) => ({ variant: `v${i}`, buckets: size }));
        const weights = weightsOf(parts, total);
        expect(weights.reduce((sum, { weight }) => sum + weight, 0)).toBe(100_000);
        let end = 0;
        let wanted = 0;
        const kept = parts.filter((part) => part.buckets > 0);
        for (const [i, { variant, weight }] of weights.entries()) {
          end += weight;
          wanted += kept[i]?.buckets ?? 0;
          expect(variant).toBe(kept[i]?.variant);
          expect(Math.round((end * total) / 100_000)).toBe(wanted);
        }
      }),
    );
  });

  it('omit parts without a bucket', () => {
    expect(
      weightsOf(
        [
          { variant: 'a', buckets: 0 },
          { variant: 'b', buckets: 3 },
        ],
        3,
      ),
    ).toEqual([{ variant: 'b', weight: 100_000 }]);
  });
});
