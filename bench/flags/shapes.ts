import type { EvaluationContext, Flag, Ruleset, Segment } from '@fanion/flag-engine';

/** Different units, so that nothing is decided by one remembered answer. */
export const contexts: readonly EvaluationContext[] = Array.from({ length: 1_024 }, (_, i) => ({
  targetingKey: `user-${i}`,
  plan: i % 2 === 0 ? 'pro' : 'free',
  country: ['DE', 'FR', 'US', 'JP'][i % 4],
  email: `user-${i}@corp.example`,
  version: `3.${i % 20}.1`,
}));

export function flag(key: string, changes: Partial<Flag>): Flag {
  return {
    key,
    kind: 'boolean',
    version: 3,
    enabled: true,
    variants: [
      { key: 'on', value: true },
      { key: 'off', value: false },
    ],
    off_variant: 'off',
    fallthrough: { variant: 'off' },
    targets: [],
    rules: [],
    salt: 'e0c9ab4f',
    prerequisites: [],
    ...changes,
  };
}

export const simpleRule: Partial<Flag> = {
  rules: [{ id: 'r1', salt: 's1', clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }], variant: 'on' }],
};

export function ruleset(flags: readonly Flag[], segments: readonly Segment[] = []): Ruleset {
  return {
    version: 1,
    environment: 'production',
    project: 'shop',
    flags: Object.fromEntries(flags.map((each) => [each.key, each])),
    segments: Object.fromEntries(segments.map((each) => [each.key, each])),
  };
}
