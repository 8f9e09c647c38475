import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketValue, evaluate, TOTAL_WEIGHT, unitOf, type Weight } from './index.ts';
import { compiled, split } from './testing/flags.ts';

// 2^60 as a double; written as digits it would be a literal that loses precision.
const FIFTEEN_HEX_DIGITS = Number.parseInt('f'.repeat(15), 16);

/** The documented formula, with Node's SHA-1. */
function published(text: string): number {
  return Number.parseInt(createHash('sha1').update(text).digest('hex').slice(0, 15), 16) / FIFTEEN_HEX_DIGITS;
}

describe('bucketValue', () => {
  it('matches the published formula for any text, to the last bit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 200 }), (unit, salt) => {
        expect(bucketValue({ flag_key: 'flag', salt }, unit)).toBe(published(`flag.${salt}.${unit}`));
        expect(bucketValue({ seed: salt }, unit)).toBe(published(`${salt}.${unit}`));
      }),
      { numRuns: 2_000 },
    );
  });

  it('matches at every length around block boundaries', () => {
    for (let prefix = 0; prefix < 130; prefix++) {
      for (const length of [0, 1, 54, 55, 56, 63, 64, 65, 118, 119, 120, 128]) {
        const [seed, unit] = ['s'.repeat(prefix), 'u'.repeat(length)];
        expect(bucketValue({ seed }, unit)).toBe(published(`${seed}.${unit}`));
      }
    }
  });

  it('replaces lone surrogates as Node does', () => {
    for (const unit of ['a\ud800', '\udc00b', 'ok\ud83d\ude00\ud83d', '\ud83d\ud83d\ude00']) {
      expect(bucketValue({ seed: 's' }, unit)).toBe(published(`s.${unit}`));
    }
  });

  it('is uniform over a million keys (χ² of 1000 cells, p > 0.0001)', () => {
    const cells = new Array<number>(1_000).fill(0);
    for (let i = 0; i < 1_000_000; i++) {
      const cell = Math.floor(bucketValue({ flag_key: 'checkout', salt: 'b1f2' }, `user-${i}`) * 1_000);
      cells[cell] = (cells[cell] ?? 0) + 1;
    }
    const chiSquared = cells.reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0);
    // Quantiles of χ² with 999 degrees of freedom at 0.0001 and 0.9999: too even is as wrong as too uneven.
    expect(chiSquared).toBeGreaterThan(837);
    expect(chiSquared).toBeLessThan(1_175);
  });

  it('splits independently under two salts', () => {
    let both = 0;
    for (let i = 0; i < 100_000; i++) {
      const first = bucketValue({ flag_key: 'a', salt: '1' }, `user-${i}`) < 0.5;
      const second = bucketValue({ flag_key: 'b', salt: '2' }, `user-${i}`) < 0.5;
      if (first && second) both++;
    }
    // A quarter, ± 5 standard deviations of the binomial.
    expect(Math.abs(both - 25_000)).toBeLessThan(5 * Math.sqrt(100_000 * 0.25 * 0.75));
  });
});

describe('unitOf', () => {
  it.each([
    ['u', 'u'],
    ['', undefined],
    [7, '7'],
    [-0, '0'],
    [2 ** 53 - 1, '9007199254740991'],
    [2 ** 53, undefined],
    [0.5, undefined],
    [Number.NaN, undefined],
    [true, undefined],
    [null, undefined],
    [['u'], undefined],
  ])('%j names %j', (value, unit) => {
    expect(unitOf(value)).toBe(unit);
  });
});

describe('a rollout', () => {
  const shares = (sizes: readonly number[]): Weight[] => {
    const scale = sizes.reduce((sum, size) => sum + size, 0);
    const weights = sizes.map((size) => Math.floor((size / scale) * TOTAL_WEIGHT));
    const rest = TOTAL_WEIGHT - weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight, i) => ({ variant: `v${i}`, weight: weight + (i === 0 ? rest : 0) }));
  };
  const anyShares = fc.array(fc.nat(1_000), { minLength: 2, maxLength: 6 }).filter((sizes) => sizes.some((n) => n > 0));

  it('serves each variant to its share', () => {
    const weights = shares([1, 2, 3, 4]);
    const served = new Map<string, number>();
    const flags = compiled([split('share', weights)]);
    for (let i = 0; i < 100_000; i++) {
      const { variant } = evaluate(flags, 'share', { targetingKey: `user-${i}` });
      served.set(variant ?? '', (served.get(variant ?? '') ?? 0) + 1);
    }
    for (const { variant, weight } of weights) {
      expect(Math.abs((served.get(variant) ?? 0) - weight)).toBeLessThan(5 * Math.sqrt(weight));
    }
  });

  it('keeps every unit of a variant when only that variant grows', () => {
    fc.assert(
      fc.property(anyShares, fc.nat(5), fc.array(fc.nat(100), { minLength: 6, maxLength: 6 }), (sizes, pick, taken) => {
        const before = shares(sizes);
        const grown = pick % before.length;
        // Every other variant gives up any part of its share to the one that grows.
        const given = before.map(({ weight }, i) => (i === grown ? 0 : Math.floor((weight * (taken[i] ?? 0)) / 100)));
        const gain = given.reduce((sum, part) => sum + part, 0);
        const after = before.map((share, i) => ({
          ...share,
          weight: i === grown ? share.weight + gain : share.weight - (given[i] ?? 0),
        }));
        const [old, next] = [compiled([split('grow', before)]), compiled([split('grow', after)])];
        for (let i = 0; i < 200; i++) {
          const context = { targetingKey: `user-${i}` };
          const variant = `v${grown}`;
          if (evaluate(old, 'grow', context).variant === variant) {
            expect(evaluate(next, 'grow', context).variant).toBe(variant);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('moves nobody when a percentage becomes a ramp or an experiment', () => {
    const weights = shares([3, 7]);
    const plain = split('flag', weights);
    const tracked = { ...plain, fallthrough: { rollout: { weights, tracked: true } } };
    const [old, next] = [compiled([plain]), compiled([tracked])];
    for (let i = 0; i < 1_000; i++) {
      const context = { targetingKey: `user-${i}` };
      const [before, after] = [evaluate(old, 'flag', context), evaluate(next, 'flag', context)];
      expect(after.variant).toBe(before.variant);
      expect([before.reason, before.tracked, after.reason, after.tracked]).toEqual([
        'FALLTHROUGH',
        undefined,
        'TRACKED_ROLLOUT',
        true,
      ]);
    }
  });

  it('always serves one of its variants with weight', () => {
    fc.assert(
      fc.property(anyShares, fc.string({ minLength: 1 }), (sizes, targetingKey) => {
        const weights = shares(sizes);
        const { variant, bucket } = evaluate(compiled([split('any', weights)]), 'any', { targetingKey });
        expect(weights.find((share) => share.variant === variant)?.weight).toBeGreaterThan(0);
        expect(bucket).toBe(bucketValue({ flag_key: 'any', salt: 'salt' }, targetingKey));
      }),
    );
  });
});
