import type { Flag } from '@fanion/flag-engine';

/** Different units, so that no cached answer decides the result. */
export const contexts: readonly Readonly<Record<'targetingKey' | 'plan' | 'country' | 'email' | 'version', string>>[] =
  Array.from({ length: 1_024 }, (_, i) => ({
    targetingKey: `user-${i}`,
    plan: i % 2 === 0 ? 'pro' : 'free',
    country: ['DE', 'FR', 'US', 'JP'][i % 4] ?? '',
    email: `user-${i}@corp.example`,
    version: `3.${i % 20}.1`,
  }));

export const simpleRule: Partial<Flag> = {
  rules: [{ id: 'r1', salt: 's1', clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }], variant: 'true' }],
};
