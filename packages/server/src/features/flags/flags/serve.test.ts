import { compileRuleset, evaluate, type Flag, type Serve, TOTAL_WEIGHT, type Weight } from '@fanion/flag-engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { controlRatio, rampedServe, serveAfterRamp, shareOf, toServe } from './serve.ts';

const keys = ['a', 'b', 'c', 'd'];
const units = Array.from({ length: 300 }, (_, i) => `unit-${i}`);

/** The variant of each unit. */
function served(fallthrough: Serve): Map<string, { variant: string | null; reason: string; tracked?: boolean }> {
  const flag: Flag = {
    key: 'f',
    kind: 'string',
    version: 1,
    enabled: true,
    variants: keys.map((key) => ({ key, value: key })),
    off_variant: 'a',
    fallthrough,
    targets: [],
    rules: [],
    salt: 'salt',
    prerequisites: [],
  };
  const compiled = compileRuleset({ version: 1, environment: 'e', project: 'p', flags: { f: flag }, segments: {} });
  return new Map(units.map((unit) => [unit, evaluate(compiled, 'f', { targetingKey: unit })]));
}

/** The same shares, each in two places. */
function twiceOver(weights: readonly Weight[]): Weight[] {
  const first = weights.map(({ variant, weight }) => ({ variant, weight: Math.floor(weight / 2) }));
  const second = weights.map(({ variant, weight }) => ({ variant, weight: Math.ceil(weight / 2) }));
  return [...first, ...second];
}

/** A variant, or a rollout in which a variant may occur more than once. */
const base: fc.Arbitrary<Serve> = fc.oneof(
  fc.constantFrom(...keys).map((variant) => ({ variant })),
  fc
    .tuple(
      fc.shuffledSubarray(keys, { minLength: 2 }),
      fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 4, maxLength: 4 }),
    )
    .map(([variants, parts]) => {
      const sum = variants.reduce((total, _, i) => total + (parts[i] ?? 0), 0) || 1;
      const weights = variants.map((variant, i) => ({
        variant,
        weight: Math.floor(((parts[i] ?? 0) / sum) * TOTAL_WEIGHT),
      }));
      const rest = TOTAL_WEIGHT - weights.reduce((total, { weight }) => total + weight, 0);
      return weights.map((w, i) => (i === 0 ? { ...w, weight: w.weight + rest } : w));
    })
    .chain((weights) => fc.boolean().map((twice) => (twice ? twiceOver(weights) : weights)))
    .map((weights) => ({ rollout: { weights: weights.filter(({ weight }) => weight > 0) } })),
);

describe('the rollout of a ramp', () => {
  const cases = fc.tuple(
    base,
    fc.constantFrom(...keys),
    fc.array(fc.integer({ min: 1, max: TOTAL_WEIGHT }), { maxLength: 4 }),
  );

  it('gives the variant its weight and distributes all weight', () => {
    fc.assert(
      fc.property(cases, ([serve, variant, more]) => {
        const weight = Math.max(shareOf(serve, variant), ...more, 1);
        const ramped = rampedServe(serve, { variant, weight, bucket_by: null });
        expect(shareOf(ramped, variant)).toBe(weight);
        expect(ramped.rollout.weights.reduce((sum, part) => sum + part.weight, 0)).toBe(TOTAL_WEIGHT);
        expect(ramped.rollout.tracked).toBe(true);
      }),
    );
  });

  it('moves no unit out of the variant or between the others', () => {
    fc.assert(
      fc.property(cases, ([serve, variant, more]) => {
        const share = shareOf(serve, variant);
        let before = served(serve);
        for (const weight of [...more].filter((w) => w >= share && w > 0).sort((a, b) => a - b)) {
          const after = served(rampedServe(serve, { variant, weight, bucket_by: null }));
          for (const unit of units) {
            const was = before.get(unit)?.variant;
            const is = after.get(unit)?.variant;
            expect(is === was || is === variant).toBe(true);
          }
          before = after;
        }
      }),
      { numRuns: 60 },
    );
  });

  it('tracks as many control units as units of the variant, up to a half', () => {
    const measured = (serve: { rollout: { weights: readonly Weight[] } }, variant: string, isVariant: boolean) =>
      serve.rollout.weights
        .filter((part) => part.untracked !== true && (part.variant === variant) === isVariant)
        .reduce((sum, part) => sum + part.weight, 0);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: TOTAL_WEIGHT / 2 }), (weight) => {
        const ramped = rampedServe({ variant: 'a' }, { variant: 'b', weight, bucket_by: null });
        expect([measured(ramped, 'b', true), measured(ramped, 'b', false)]).toEqual([weight, weight]);
      }),
    );
  });

  it('keeps a control group beside a variant of more than half, of one ratio in all steps', () => {
    const shares = fc.tuple(fc.integer({ min: 50_001, max: 99_000 }), fc.integer({ min: 1, max: 99_000 }));
    fc.assert(
      fc.property(shares, ([widest, some]) => {
        const of = (weight: number) =>
          served(rampedServe({ variant: 'a' }, { variant: 'b', weight, bucket_by: null, widest }));
        const [early, late] = [of(Math.min(some, widest)), of(widest)];
        for (const unit of units) {
          const [was, is] = [early.get(unit), late.get(unit)];
          if (was?.tracked === true) expect(is).toMatchObject({ variant: was.variant, tracked: true });
          // At the widest step, nobody is left out.
          expect(is?.tracked).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
    const { weights } = rampedServe(
      { variant: 'a' },
      { variant: 'b', weight: 8_000, bucket_by: null, widest: 80_000 },
    ).rollout;
    expect(weights).toEqual([
      { variant: 'b', weight: 8_000 },
      { variant: 'a', weight: 72_000, untracked: true },
      { variant: 'a', weight: 2_000 },
      { variant: 'a', weight: 18_000, untracked: true },
    ]);
    expect(controlRatio(80_000)).toBe(0.25);
  });

  it('never moves a unit that was measured from one arm to the other', () => {
    fc.assert(
      fc.property(cases, ([serve, variant, more]) => {
        const share = shareOf(serve, variant);
        const first = new Map<string, string | null>();
        for (const weight of [...more].filter((w) => w >= share && w > 0).sort((a, b) => a - b)) {
          const ramped = served(rampedServe(serve, { variant, weight, bucket_by: null }));
          for (const [unit, { variant: arm, tracked }] of ramped) {
            if (tracked !== true) continue;
            expect(first.get(unit) ?? arm).toBe(arm);
            first.set(unit, arm);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('says TRACKED_ROLLOUT to every unit, measured or not', () => {
    const ramped = [
      ...served(rampedServe({ variant: 'a' }, { variant: 'b', weight: 10_000, bucket_by: null })).values(),
    ];
    expect(new Set(ramped.map(({ reason }) => reason))).toEqual(new Set(['TRACKED_ROLLOUT']));
    expect(new Set(ramped.map(({ tracked }) => tracked))).toEqual(new Set([true, undefined]));
  });

  it('serves everybody the variant at 100 %', () => {
    const all = served(rampedServe({ variant: 'a' }, { variant: 'b', weight: TOTAL_WEIGHT, bucket_by: null }));
    expect(new Set([...all.values()].map(({ variant }) => variant))).toEqual(new Set(['b']));
  });

  it('stays unchanged but untracked when the ramp ends', () => {
    fc.assert(
      fc.property(cases, ([serve, variant, more]) => {
        const weight = Math.max(shareOf(serve, variant), ...more, 1);
        const state = { variant, weight, bucket_by: null };
        const during = served(rampedServe(serve, state));
        const after = served(toServe(serveAfterRamp(serve, state)));
        for (const unit of units) expect(after.get(unit)?.variant).toBe(during.get(unit)?.variant);
        expect([...after.values()].every(({ reason }) => reason === 'FALLTHROUGH')).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('keeps the seed and attribute of the rollout that it extends', () => {
    const serve: Serve = {
      rollout: { seed: '61', bucket_by: 'company', weights: [{ variant: 'a', weight: TOTAL_WEIGHT }] },
    };
    const { rollout } = rampedServe(serve, { variant: 'b', weight: 1_000, bucket_by: null });
    expect(rollout).toMatchObject({ seed: '61', bucket_by: 'company' });
    expect(rampedServe(serve, { variant: 'b', weight: 1, bucket_by: 'user' }).rollout.bucket_by).toBe('user');
  });
});
