import { expect, it } from 'vitest';
import type { Draft } from './draft.ts';
import { tryDraft } from './trial.ts';

const flag = {
  key: 'new-checkout',
  kind: 'boolean' as const,
  variants: [
    { key: 'true', value: true },
    { key: 'false', value: false },
  ],
};
const where = { environment: 'production', project: 'default' };
const draft: Draft = {
  enabled: true,
  offVariant: 'false',
  fallthrough: {
    kind: 'split',
    weights: [
      { variant: 'true', weight: 30_000 },
      { variant: 'false', weight: 70_000 },
    ],
    bucketBy: '',
    seed: '',
  },
  targets: [{ uid: 't', variant: 'true', attribute: '', values: ['ada'] }],
  rules: [
    {
      uid: 'r',
      id: undefined,
      description: 'Germans',
      clauses: [{ uid: 'c', attribute: 'country', op: 'in', values: ['DE'], negate: false }],
      serve: { kind: 'variant', variant: 'true' },
    },
  ],
};

it('reports what decided', () => {
  expect(tryDraft(flag, draft, { targetingKey: 'ada' }, where).explanation).toMatchObject({
    decided_by: 'target',
    evaluation: { variant: 'true' },
  });
  expect(tryDraft(flag, draft, { targetingKey: 'x', country: 'DE' }, where).explanation).toMatchObject({
    decided_by: 'rule',
    evaluation: { reason: 'RULE_MATCH' },
  });
  expect(tryDraft(flag, { ...draft, enabled: false }, { targetingKey: 'x' }, where).explanation).toMatchObject({
    decided_by: 'off',
    evaluation: { variant: 'false' },
  });
});

it('returns shares when only the server can compute the bucket', () => {
  expect(tryDraft(flag, draft, { targetingKey: 'x' }, where).shares).toEqual([
    { variant: 'true', percent: '30' },
    { variant: 'false', percent: '70' },
  ]);
  const seeded: Draft = { ...draft, fallthrough: { ...draft.fallthrough, seed: '61' } as Draft['fallthrough'] };
  expect(tryDraft(flag, seeded, { targetingKey: 'x' }, where).shares).toBeNull();
});

it('reports errors', () => {
  expect(tryDraft(flag, draft, {}, where).explanation.evaluation.error?.code).toBe('TARGETING_KEY_MISSING');
});
