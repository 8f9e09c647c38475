import { describe, expect, it } from 'vitest';
import { bucketValue, explain, type Flag } from './index.ts';
import { compiled, flag, segment } from './testing/flags.ts';

const proRule: Flag['rules'][number] = {
  id: 'pro',
  salt: 's',
  description: 'Paying customers in the beta',
  clauses: [
    { attribute: 'plan', op: 'in', values: ['pro', 'team'] },
    { attribute: 'country', op: 'in', values: ['US'], negate: true },
    { op: 'in_segment', values: ['beta', 'staff'] },
  ],
  variant: 'true',
};

const flags = compiled(
  [
    flag('base', { fallthrough: { variant: 'true' } }),
    flag('off', { enabled: false }),
    flag('checkout', {
      prerequisites: [{ flag: 'base', variants: ['true'] }],
      targets: [{ variant: 'true', values: ['vip', 'friend'] }],
      rules: [proRule],
      fallthrough: {
        rollout: {
          tracked: true,
          weights: [
            { variant: 'true', weight: 30_000 },
            { variant: 'false', weight: 70_000 },
          ],
        },
      },
    }),
    flag('blocked', {
      prerequisites: [
        { flag: 'base', variants: ['true'] },
        { flag: 'off', variants: ['false'] },
        { flag: 'gone', variants: ['true'] },
      ],
      targets: [{ variant: 'true', values: ['vip'] }],
    }),
    flag('lost', { prerequisites: [{ flag: 'gone', variants: ['true'] }] }),
    flag('cycle', { prerequisites: [{ flag: 'cycle', variants: ['true'] }] }),
    flag('malformed', { fallthrough: { variant: 'gone' } }),
  ],
  [
    segment('beta', { included: ['u'], rules: [{ clauses: [{ op: 'in_segment', values: ['staff'] }] }] }),
    segment('staff', { rules: [{ clauses: [{ attribute: 'email', op: 'ends_with', values: ['@corp.com'] }] }] }),
  ],
);

describe('explain', () => {
  it('shows which rule matched, and why each of its clauses did', () => {
    const context = { targetingKey: 'q', plan: 'pro', country: 'DE', email: 'q@corp.com' };
    expect(explain(flags, 'checkout', context)).toEqual({
      evaluation: expect.objectContaining({ reason: 'RULE_MATCH', rule_id: 'pro' }),
      decided_by: 'rule',
      prerequisites: [
        {
          flag: 'base',
          variants: ['true'],
          result: 'matched',
          served: { variant: 'true', reason: 'FALLTHROUGH' },
          why: 'the flag serves "true"',
        },
      ],
      targets: [{ variant: 'true', attribute: 'targetingKey', size: 2, result: 'not_matched' }],
      rules: [
        {
          id: 'pro',
          description: 'Paying customers in the beta',
          result: 'matched',
          clauses: [
            {
              attribute: 'plan',
              op: 'in',
              negate: false,
              size: 2,
              actual: '"pro"',
              matched: true,
              why: 'the comparison holds',
            },
            {
              attribute: 'country',
              op: 'in',
              negate: true,
              size: 1,
              actual: '"DE"',
              matched: true,
              why: 'the comparison does not hold, and the clause is negated',
            },
            {
              op: 'in_segment',
              negate: false,
              size: 2,
              matched: true,
              why: 'the context is in "beta", "staff"',
              segments: [
                { key: 'beta', matched: true, because: 'rule', rule: 0 },
                { key: 'staff', matched: true, because: 'rule', rule: 0 },
              ],
            },
          ],
        },
      ],
      fallthrough: { result: 'not_reached' },
    });
  });

  it('shows the clauses after the first mismatch, and the bucket of the unit', () => {
    const { decided_by, rules, fallthrough, evaluation } = explain(flags, 'checkout', { targetingKey: 'u' });
    const bucket = bucketValue({ flag_key: 'checkout', salt: 'salt' }, 'u');
    expect(decided_by).toBe('fallthrough');
    expect(rules[0]?.result).toBe('not_matched');
    expect(rules[0]?.clauses.map(({ matched, why }) => [matched, why])).toEqual([
      [false, 'the context does not have the attribute, so no comparison matches'],
      [false, 'the context does not have the attribute, so no comparison matches'],
      [true, 'the context is in "beta"'],
    ]);
    expect(fallthrough).toEqual({
      result: 'matched',
      rollout: {
        bucket_by: 'targetingKey',
        hash: 'fanion',
        unit: 'u',
        bucket,
        tracked: true,
        weights: [
          { variant: 'true', weight: 30_000, from: 0, to: 0.3, chosen: bucket < 0.3 },
          { variant: 'false', weight: 70_000, from: 0.3, to: 1, chosen: bucket >= 0.3 },
        ],
      },
    });
    expect(fallthrough.rollout?.weights.find(({ chosen }) => chosen)?.variant).toBe(evaluation.variant);
  });

  it('stops at the target that decided', () => {
    const { decided_by, targets, rules } = explain(flags, 'checkout', { targetingKey: 'vip', plan: 'pro' });
    expect(decided_by).toBe('target');
    expect(targets[0]?.result).toBe('matched');
    expect(rules).toEqual([{ id: 'pro', description: proRule.description, result: 'not_reached', clauses: [] }]);
  });

  it('stops at an unmet prerequisite', () => {
    const { decided_by, prerequisites, targets, fallthrough } = explain(flags, 'blocked', { targetingKey: 'vip' });
    expect(decided_by).toBe('prerequisite');
    expect(prerequisites.map(({ result, why }) => [result, why])).toEqual([
      ['matched', 'the flag serves "true"'],
      ['not_matched', 'the flag is off'],
      ['not_reached', 'not asked for'],
    ]);
    expect(targets[0]?.result).toBe('not_reached');
    expect(fallthrough.result).toBe('not_reached');
    expect(explain(flags, 'lost', {}).prerequisites[0]).toMatchObject({
      served: null,
      why: 'the flag does not exist or is archived',
    });
  });

  it('reports a missing targeting key, without a bucket', () => {
    const { decided_by, fallthrough } = explain(flags, 'checkout', {});
    expect(decided_by).toBe('error');
    expect(fallthrough.rollout).toMatchObject({ unit: null, bucket: null });
    expect(fallthrough.rollout?.weights.some(({ chosen }) => chosen)).toBe(false);
  });

  it('explains an off flag, a cycle, a malformed flag and an unknown flag', () => {
    expect(explain(flags, 'off', {})).toMatchObject({ decided_by: 'off', fallthrough: { result: 'not_reached' } });
    const cycle = explain(flags, 'cycle', {});
    expect(cycle).toMatchObject({ decided_by: 'error', evaluation: { error: { code: 'PARSE_ERROR' } } });
    expect(cycle.prerequisites[0]?.why).toMatch(/its own prerequisite/);
    expect(explain(flags, 'malformed', {})).toMatchObject({ decided_by: 'error', rules: [] });
    expect(explain(flags, 'unknown', {})).toMatchObject({ decided_by: 'error', rules: [] });
  });

  it('truncates long values', () => {
    const { rules } = explain(flags, 'checkout', { plan: 'x'.repeat(1_000_000) });
    expect(rules[0]?.clauses[0]?.actual).toHaveLength(201);
  });
});
