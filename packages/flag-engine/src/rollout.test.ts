import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type EvaluationContext,
  evaluate,
  explain,
  HASH_NAMES,
  type Rollout,
  type Rule,
  type Share,
  type Weight,
} from './index.ts';
import { compiled, flag, segment } from './testing/flags.ts';

const half: Weight[] = [
  { variant: 'true', weight: 50_000 },
  { variant: 'false', weight: 50_000 },
];
const anyHash = fc.constantFrom(...HASH_NAMES);

function served(rollout: Partial<Rollout>, context: EvaluationContext) {
  const flags = compiled([
    flag('f', { off_variant: 'false', fallthrough: { rollout: { weights: half, ...rollout } } }),
  ]);
  return evaluate(flags, 'f', context);
}

function withRule(rule: Partial<Rule>) {
  const clauses = [{ attribute: 'country', op: 'in', values: ['DE'] }] as const;
  return compiled([flag('f', { rules: [{ id: 'r', salt: 'r', clauses, variant: 'true', ...rule } as Rule] })]);
}

describe('a rollout with the hash of another product', () => {
  it('maps every text to the line with any seed', () => {
    fc.assert(
      fc.property(
        anyHash,
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.string({ minLength: 1 }),
        (hash, unit, seed) => {
          const { bucket = -1, error } = served({ hash, seed }, { targetingKey: unit });
          expect(error).toBeUndefined();
          expect(bucket).toBeGreaterThanOrEqual(0);
          expect(bucket).toBeLessThan(1);
        },
      ),
    );
  });

  it.each(HASH_NAMES)('%s gives each percent about 1 unit in 100', (hash) => {
    const cells = new Array<number>(100).fill(0);
    for (let i = 0; i < 20_000; i++) {
      const { bucket = 0 } = served({ hash, seed: 's' }, { targetingKey: `user-${i}` });
      // 0.29 × 100 is a little below 29.
      const cell = Math.floor(bucket * 100 + 1e-9);
      cells[cell] = (cells[cell] ?? 0) + 1;
    }
    const chiSquared = cells.reduce((sum, count) => sum + (count - 200) ** 2 / 200, 0);
    // 99 degrees of freedom: 0.0001 and 0.9999.
    expect(chiSquared).toBeGreaterThan(53);
    expect(chiSquared).toBeLessThan(161);
  });

  it.each([[[33_333, 33_333, 33_334]], [[33_334, 33_333, 33_333]], [[33_333, 33_334, 33_333]]])(
    'reads thirds as thirds, however they are rounded: %j',
    (sizes) => {
      const weights = sizes.map((weight, i) => ({ variant: `v${i}`, weight }));
      const variants = weights.map(({ variant }) => ({ key: variant, value: variant }));
      const rollout: Rollout = { hash: 'unleash_variants', seed: 's', buckets: 3, weights };
      const flags = compiled([flag('f', { kind: 'string', variants, off_variant: 'v0', fallthrough: { rollout } })]);
      for (let i = 0; i < 300; i++) {
        const { variant, bucket = 0 } = evaluate(flags, 'f', { targetingKey: `user-${i}` });
        expect(variant).toBe(`v${Math.round(bucket * 3)}`);
      }
    },
  );

  it('explains with the same variant that evaluation serves', () => {
    fc.assert(
      fc.property(anyHash, fc.string({ minLength: 1 }), (hash, unit) => {
        const rollout = { hash, seed: 's', weights: half };
        const flags = compiled([flag('f', { fallthrough: { rollout } })]);
        const { evaluation, fallthrough } = explain(flags, 'f', { targetingKey: unit });
        expect(fallthrough.rollout?.weights.find(({ chosen }) => chosen)?.variant).toBe(evaluation.variant);
      }),
    );
  });

  it('returns PARSE_ERROR for an unknown hash', () => {
    const rollout = JSON.parse('{"hash": "md5"}') as Partial<Rollout>;
    expect(served(rollout, { targetingKey: 'u' }).error?.message).toBe('flag "f": fallthrough: unknown hash "md5"');
  });
});

describe('a context without a unit', () => {
  const nobody = {};

  it.each([
    ['the targeting key', {}, 'TARGETING_KEY_MISSING'],
    ['another attribute', { bucket_by: 'company' }, undefined],
    ['the targeting key, then another', { fallback_bucket_by: ['session'] }, undefined],
  ])('is an error only where %s is the unit', (_, rollout, code) => {
    expect(served(rollout, nobody).error?.code).toBe(code);
  });

  it('gets the first variant with a weight, untracked', () => {
    const weights = [{ variant: 'false', weight: 0 }, ...half];
    const { variant, tracked, bucket } = served({ bucket_by: 'company', weights, tracked: true }, nobody);
    expect([variant, tracked, bucket]).toEqual(['true', undefined, undefined]);
  });

  it('is skipped by a rule whose rollout skips it', () => {
    const flags = withRule({ rollout: { bucket_by: 'company', weights: half, missing: 'skip' } } as Partial<Rule>);
    // `variant` is removed, since a rule serves one or the other.
    const rule = { id: 'r', salt: 'r', clauses: [], rollout: { weights: half, missing: 'skip' as const } };
    const byKey = compiled([flag('f', { rules: [rule], fallthrough: { variant: 'true' } })]);
    expect(evaluate(byKey, 'f', nobody)).toMatchObject({ variant: 'true', reason: 'FALLTHROUGH' });
    expect(evaluate(flags, 'f', { country: 'FR' }).reason).toBe('FALLTHROUGH');
    expect(explain(byKey, 'f', nobody).rules[0]?.result).toBe('not_matched');
    expect(explain(byKey, 'f', nobody).decided_by).toBe('fallthrough');
  });

  it('gets the off variant from a fallthrough that skips it', () => {
    expect(served({ missing: 'skip' }, nobody)).toMatchObject({ variant: 'false', reason: 'FALLTHROUGH' });
    expect(served({ missing: 'skip' }, nobody).error).toBeUndefined();
  });
});

describe('fallback attributes', () => {
  it('are tried in order', () => {
    const rollout = {
      bucket_by: 'user',
      fallback_bucket_by: ['/session/id', 'device'],
      hash: 'unleash',
      seed: 's',
    } as const;
    const alone = (unit: string) => served({ hash: 'unleash', seed: 's' }, { targetingKey: unit }).bucket;
    expect(served(rollout, { user: 'a', session: { id: 'b' }, device: 'c' }).bucket).toBe(alone('a'));
    expect(served(rollout, { user: '', session: { id: 'b' }, device: 'c' }).bucket).toBe(alone('b'));
    expect(served(rollout, { session: {}, device: 'c' }).bucket).toBe(alone('c'));
    expect(served(rollout, {}).bucket).toBeUndefined();
  });
});

describe('a share', () => {
  const share = (changes: Partial<Share> = {}): Share => ({ seed: 's', ranges: [[0, 30_000]], ...changes });
  const country = { country: 'DE' };

  it('admits its share of the units to a rule, and no others', () => {
    const flags = withRule({ shares: [share()] });
    const passed = Array.from({ length: 20_000 }, (_, i) =>
      evaluate(flags, 'f', { ...country, targetingKey: `u${i}` }),
    );
    const count = passed.filter(({ reason }) => reason === 'RULE_MATCH').length;
    expect(Math.abs(count - 6_000)).toBeLessThan(5 * Math.sqrt(20_000 * 0.3 * 0.7));
    expect(evaluate(withRule({ shares: [share({ ranges: [[0, 100_000]] })] }), 'f', { targetingKey: 'u' }).reason).toBe(
      'FALLTHROUGH',
    );
  });

  it('admits a unit whose bucket is in a range', () => {
    fc.assert(
      fc.property(anyHash, fc.string({ minLength: 1 }), fc.nat(100), fc.nat(100), (hash, unit, a, b) => {
        const [from, to] = [Math.min(a, b) * 1_000, Math.max(a, b) * 1_000];
        const context = { ...country, targetingKey: unit };
        const { bucket = 0 } = served({ hash, seed: 's' }, context);
        const { reason } = evaluate(withRule({ shares: [share({ hash, ranges: [[from, to]] })] }), 'f', context);
        expect(reason === 'RULE_MATCH').toBe(bucket >= from / 100_000 && bucket < to / 100_000);
      }),
    );
  });

  it('must admit the unit together with all other shares', () => {
    const [low, high] = [share({ ranges: [[0, 50_000]] }), share({ ranges: [[50_000, 100_000]] })];
    for (let i = 0; i < 200; i++) {
      const context = { ...country, targetingKey: `u${i}` };
      expect(evaluate(withRule({ shares: [low, high] }), 'f', context).reason).toBe('FALLTHROUGH');
      expect(
        evaluate(
          withRule({
            shares: [
              share({
                ranges: [
                  [0, 50_000],
                  [50_000, 100_000],
                ],
              }),
            ],
          }),
          'f',
          context,
        ).reason,
      ).toBe('RULE_MATCH');
    }
  });

  it.each([
    [undefined, 'FALLTHROUGH'],
    ['out', 'FALLTHROUGH'],
    ['in', 'RULE_MATCH'],
  ] as const)('with missing %s gives a context without a unit %s', (missing, reason) => {
    const flags = withRule({ shares: [share({ ranges: [[0, 100_000]], ...(missing && { missing }) })] });
    expect(evaluate(flags, 'f', country).reason).toBe(reason);
  });

  it('splits a segment', () => {
    const beta = segment('beta', { rules: [{ clauses: [], shares: [share({ hash: 'flagd' })] }] });
    const rules = [{ id: 'r', salt: '', clauses: [{ op: 'in_segment', values: ['beta'] }], variant: 'true' }] as const;
    const flags = compiled([flag('f', { rules })], [beta]);
    for (let i = 0; i < 200; i++) {
      const context = { targetingKey: `u${i}` };
      const { bucket = 0 } = served({ hash: 'flagd', seed: 's' }, context);
      expect(evaluate(flags, 'f', context).variant).toBe(bucket < 0.3 ? 'true' : 'false');
    }
  });

  it('is explained with the bucket that decided', () => {
    const context = { ...country, targetingKey: 'u' };
    const { bucket } = served({ hash: 'unleash', seed: 's' }, context);
    const { rules } = explain(withRule({ shares: [share({ hash: 'unleash', ranges: [] })] }), 'f', context);
    expect(rules[0]).toMatchObject({
      result: 'not_matched',
      shares: [{ bucket_by: 'targetingKey', hash: 'unleash', unit: 'u', bucket, matched: false }],
    });
  });
});
