import { describe, expect, it } from 'vitest';
import {
  type Clause,
  compileRuleset,
  type EvaluationContext,
  evaluate,
  evaluateAll,
  explain,
  nextTimeChange,
  patchRuleset,
  timeTag,
} from './index.ts';
import { flag, ruleset, segment } from './testing/flags.ts';

const rule = (clause: Clause) => ({ id: 'r', salt: 'r', clauses: [clause], variant: 'true' });

/** Whether a context matches a clause, or the engine's error. */
function matches(
  clause: Omit<Clause, 'values'> & { values?: Clause['values'] },
  context: EvaluationContext,
  now?: number,
) {
  const rules = [rule({ values: [], ...clause })];
  const clock = now === undefined ? {} : { clock: () => now };
  const { reason, error } = evaluate(compileRuleset(ruleset([flag('f', { rules })]), clock), 'f', context);
  return error?.message ?? reason === 'RULE_MATCH';
}

describe('ignore_case', () => {
  it.each([
    ['in', ['Gold', 'SILVER'], 'gold', true],
    ['in', ['Gold'], 'goldish', false],
    ['eq', ['STRASSE'], 'strasse', true],
    ['not_in', ['Gold'], 'gOLD', false],
    ['neq', ['Gold'], 'iron', true],
    ['starts_with', ['Ad'], 'aDA', true],
    ['ends_with', ['@CORP.example'], 'a@corp.EXAMPLE', true],
    ['contains', ['Mobile'], 'a MOBILE phone', true],
    ['contains', ['Mobile'], 'a desk', false],
    ['matches', ['^ad[ao]$'], 'ADO', true],
    ['in', ['É'], 'é', true],
    ['in', [1], 1, true],
  ] as const)('%s %j of %j is %s', (op, values, value, expected) => {
    expect(matches({ attribute: 'a', op, values, ignore_case: true }, { a: value })).toBe(expected);
  });

  it('is off by default', () => {
    expect(matches({ attribute: 'a', op: 'in', values: ['Gold'] }, { a: 'gold' })).toBe(false);
    expect(matches({ attribute: 'a', op: 'matches', values: ['gold'], ignore_case: false }, { a: 'GOLD' })).toBe(false);
  });

  it('applies to each element of an array', () => {
    expect(matches({ attribute: 'a', op: 'in', values: ['b'], ignore_case: true }, { a: ['A', 'B'] })).toBe(true);
  });

  it('has no effect on operators that do not compare letters', () => {
    expect(matches({ attribute: 'a', op: 'lt', values: [1], ignore_case: true }, { a: 0 })).toMatch(
      /"lt" does not compare letters/,
    );
  });
});

describe('as', () => {
  it.each([
    ['number', 'lt', [10], '9', true],
    ['number', 'lt', [10], '10', false],
    ['number', 'eq', [0.5], '.5', true],
    ['number', 'in', [1_000], '1e3', true],
    ['number', 'gt', [-2], '-1', true],
    ['number', 'gte', [7], 7, true],
    ['number', 'eq', [10], '10 ', false],
    ['number', 'eq', [16], '0x10', false],
    ['number', 'eq', [0], '', false],
    ['number', 'gt', [0], 'Infinity', false],
    ['number', 'eq', [1], true, false],
    ['number', 'in', [3], ['2', '3'], true],
    ['text', 'in', ['5'], 5, true],
    ['text', 'starts_with', ['50'], 5_012, true],
    ['text', 'eq', ['true'], true, true],
    ['text', 'eq', ['0.5'], 0.5, true],
    ['text', 'in', ['2'], [1, 2], true],
    ['text', 'semver_gte', ['2'], 3, true],
    ['version', 'semver_eq', ['1.0.0'], 'v1.0.0', true],
    ['version', 'semver_gt', ['v1.0.0'], 'V1.0.1', true],
    ['version', 'semver_gte', ['2'], 3, true],
    ['version', 'semver_same_major', ['1.0.0'], 1.5, true],
    ['version', 'semver_eq', ['1.0.0'], 'vv1.0.0', false],
    ['version', 'semver_eq', ['1.0.0'], 'version 1', false],
    ['size', 'eq', [2], ['a', 'b'], true],
    ['size', 'gte', [3], ['a', 'b'], false],
    ['size', 'eq', [0], [], true],
    ['size', 'eq', [1], 'a', false],
  ] as const)('%s: %s %j of %j is %s', (as, op, values, value, expected) => {
    expect(matches({ attribute: 'a', op, values, as }, { a: value })).toBe(expected);
  });

  it('leaves a missing attribute missing', () => {
    for (const as of ['number', 'text', 'size'] as const) {
      expect(matches({ attribute: 'a', op: 'in', values: [], as, negate: true }, {})).toBe(false);
    }
    expect(matches({ attribute: 'a', op: 'neq', values: [2], as: 'size' }, { a: 'text' })).toBe(true);
  });

  it.each([
    ['size', 'contains', /does not compare numbers/],
    ['number', 'before', /does not compare numbers/],
    ['text', 'lt', /does not compare texts/],
    ['text', 'exists', /does not compare texts/],
    ['version', 'in', /does not compare versions/],
  ] as const)('%s means nothing to %s', (as, op, message) => {
    expect(matches({ attribute: 'a', op, as }, { a: 1 })).toMatch(message);
  });
});

describe('versions', () => {
  it.each([
    // npm's ranges (node-semver, README, "Caret Ranges" and "Tilde Ranges").
    [
      'semver_caret',
      '1.2.3',
      ['1.2.3', '1.9.9', '1.3.0', '1.3.0-beta'],
      ['1.2.2', '2.0.0', '2.0.0-alpha', '1.2.3-beta'],
    ],
    ['semver_caret', '0.2.3', ['0.2.3', '0.2.9'], ['0.3.0', '0.2.2', '1.0.0']],
    ['semver_caret', '0.0.3', ['0.0.3'], ['0.0.4', '0.1.3']],
    ['semver_caret', '0.0.0', ['0.0.0'], ['0.0.1']],
    ['semver_tilde', '1.2.3', ['1.2.3', '1.2.9'], ['1.3.0', '1.2.2', '2.2.3']],
    ['semver_tilde', '0.2', ['0.2.0', '0.2.9'], ['0.3.0']],
    // flagd's `^` and `~` of its operation sem_ver.
    ['semver_same_major', '2.4.1', ['2.0.0', '2.9.9', '2.1'], ['1.4.1', '3.0.0']],
    ['semver_same_minor', '2.4.1', ['2.4.0', '2.4.9'], ['2.5.1', '1.4.1']],
    ['semver_lte', '1.0.0', ['1.0.0', '1.0.0-rc.1', '0.9'], ['1.0.1']],
    ['semver_gte', '1.0.0', ['1.0.0', '1.0.0+build', '2'], ['1.0.0-rc.1']],
    ['semver_eq', '1', ['1.0.0', '1.0', '1.0.0+x'], ['v1.0.0', 'version 1', 'v']],
  ] as const)('%s %s', (op, value, inside, outside) => {
    for (const version of inside)
      expect([version, matches({ attribute: 'v', op, values: [value] }, { v: version })]).toEqual([version, true]);
    for (const version of outside)
      expect([version, matches({ attribute: 'v', op, values: [value] }, { v: version })]).toEqual([version, false]);
  });
});

it('treats in_cidr as an alias of cidr, for IPv4 and IPv6', () => {
  const clause = { attribute: 'ip', op: 'in_cidr', values: ['10.0.0.0/8', '2001:db8::/32'] } as const;
  const found = ['10.1.2.3', '2001:db8::1', '::ffff:10.0.0.1', '11.0.0.1', '2001:db9::1', 'x'].map((ip) =>
    matches(clause, { ip }),
  );
  expect(found).toEqual([true, true, true, false, false, false]);
});

describe('context kinds', () => {
  const plan = { attribute: 'plan', op: 'in', values: ['pro'] } as const;
  const ofOrganization = { ...plan, context_kind: 'organization' };

  it.each([
    ['a nested object', { targetingKey: 'u', plan: 'free', organization: { key: 'acme', plan: 'pro' } }, true],
    ['the context itself, by its name', { kind: 'organization', targetingKey: 'acme', plan: 'pro' }, true],
    ['one of several', { kind: 'multi', user: { key: 'u' }, organization: { key: 'acme', plan: 'pro' } }, true],
    ['not the user', { targetingKey: 'u', plan: 'pro' }, false],
    ['not another kind', { kind: 'device', plan: 'pro' }, false],
    ['not a text or list', { organization: ['pro'] }, false],
  ])('are read from %s', (_, context, expected) => {
    expect(matches(ofOrganization, context)).toBe(expected);
  });

  it('default to the user kind', () => {
    const ofUser = { ...plan, context_kind: 'user' };
    expect(matches(ofUser, { plan: 'pro' })).toBe(true);
    expect(matches(ofUser, { kind: 'user', plan: 'pro' })).toBe(true);
    expect(matches(ofUser, { kind: 'multi', plan: 'pro', user: { plan: 'free' } })).toBe(false);
    expect(matches(ofUser, { kind: 'organization', plan: 'pro' })).toBe(false);
  });

  it('treat pointers and hostile names as data', () => {
    const deep = { attribute: '/billing/plan', op: 'in', values: ['pro'], context_kind: 'organization' } as const;
    expect(matches(deep, { organization: { billing: { plan: 'pro' } } })).toBe(true);
    expect(matches({ ...plan, context_kind: '__proto__' }, {})).toBe(false);
    expect(matches({ ...plan, context_kind: 'constructor' }, {})).toBe(false);
    expect(matches({ ...plan, context_kind: 'multi' }, {})).toMatch(/cannot be the name of a kind/);
  });

  it('are targets and units, identified by targetingKey or key', () => {
    const contexts = [
      { organization: { key: 'acme' } },
      { organization: { targetingKey: 'acme' } },
      { kind: 'organization', key: 'acme' },
    ];
    const targets = [{ variant: 'true', values: ['acme'], context_kind: 'organization' }];
    const weights = [
      { variant: 'true', weight: 50_000 },
      { variant: 'false', weight: 50_000 },
    ];
    const rollout = { context_kind: 'organization', weights };
    const compiled = compileRuleset(
      ruleset([flag('targets', { targets }), flag('rollout', { fallthrough: { rollout } })]),
    );
    const alone = compileRuleset(ruleset([flag('rollout', { fallthrough: { rollout: { weights } } })]));
    const { bucket } = evaluate(alone, 'rollout', { targetingKey: 'acme' });
    for (const context of contexts) {
      expect(evaluate(compiled, 'targets', context).reason).toBe('TARGET_MATCH');
      expect(evaluate(compiled, 'rollout', context).bucket).toBe(bucket);
      expect(explain(compiled, 'rollout', context).fallthrough.rollout).toMatchObject({
        bucket_by: 'organization',
        unit: 'acme',
      });
    }
    expect(evaluate(compiled, 'targets', { targetingKey: 'acme' }).reason).toBe('FALLTHROUGH');
    // Without the kind there is no unit. That is not an error: the first bucket is served, untracked.
    expect(evaluate(compiled, 'rollout', { targetingKey: 'acme' })).toMatchObject({
      variant: 'true',
      reason: 'FALLTHROUGH',
    });
  });
});

describe('now', () => {
  const instant = Date.parse('2026-12-01T00:00:00Z');
  const clause = { attribute: 'now', op: 'after', values: ['2026-12-01T00:00:00Z'] } as const;

  it('is the time of the evaluation', () => {
    expect(matches(clause, {}, instant)).toBe(false);
    expect(matches(clause, {}, instant + 1)).toBe(true);
    expect(matches({ ...clause, op: 'before' }, {}, instant - 1)).toBe(true);
    expect(matches({ attribute: 'now', op: 'gte', values: [instant] }, {}, instant)).toBe(true);
  });

  it('comes from the context if the context has it, and is missing without a clock', () => {
    expect(matches(clause, { now: '2027-01-01T00:00:00Z' }, instant)).toBe(true);
    expect(matches(clause, { now: 0 }, instant + 1)).toBe(false);
    expect(matches(clause, { now: null }, instant + 1)).toBe(true);
    expect(matches(clause, {})).toBe(false);
  });

  it('is the same for all flags of a call', () => {
    let at = instant - 1;
    const flags = ['a', 'b', 'c'].map((key) => flag(key, { rules: [rule(clause)] }));
    const compiled = compileRuleset(ruleset(flags), { clock: () => (at += 1) });
    const reasons = [...evaluateAll(compiled, {}).values()].map(({ reason }) => reason);
    expect(new Set(reasons).size).toBe(1);
  });

  it('is read only when a rule compares it', () => {
    let asked = 0;
    const clock = () => ++asked;
    evaluateAll(compileRuleset(ruleset([flag('a'), flag('b')]), { clock }), {});
    expect(asked).toBe(0);
  });

  describe('in entity tags', () => {
    const tagAt = (now: number, more: Clause[] = []) => {
      const beta = segment('beta', { rules: [{ clauses: [clause, ...more] }] });
      return timeTag(compileRuleset(ruleset([flag('f')], [beta]), { clock: () => now }));
    };

    it('distinguish only before and after the instants of the rules', () => {
      expect(tagAt(instant - 1)).toBe(tagAt(0));
      expect(tagAt(instant + 1)).not.toBe(tagAt(instant));
      expect(tagAt(instant + 1)).toBe(tagAt(instant + 1e9));
      expect(timeTag(compileRuleset(ruleset([flag('f')])))).toBe('');
    });

    it('always differ if a clause has no instants', () => {
      const even: Clause = { attribute: 'now', op: 'ends_with', values: ['0'], as: 'text' };
      expect(tagAt(1, [even])).not.toBe(tagAt(2, [even]));
    });

    it('are followed by the next time at which they change', () => {
      const later = Date.parse('2027-03-01T00:00:00Z');
      const flags = [
        flag('a', { rules: [rule(clause)] }),
        flag('b', { rules: [rule({ attribute: 'now', op: 'before', values: [later, '2026-12-01T00:00:00Z'] })] }),
      ];
      const compiled = compileRuleset(ruleset(flags));
      // `before` changes at the instant, `after` a millisecond later.
      const changes = [0, instant, instant + 1, later, later + 1].map((after) => nextTimeChange(compiled, after));
      expect(changes).toEqual([instant, instant + 1, later, later + 1, undefined]);
      expect(nextTimeChange(compileRuleset(ruleset([flag('f')])), 0)).toBeUndefined();
    });

    it('change every minute if a clause has no instants', () => {
      const even: Clause = { attribute: 'now', op: 'ends_with', values: ['0'], as: 'text' };
      const compiled = compileRuleset(ruleset([flag('a', { rules: [rule(clause), rule(even)] })]));
      expect(nextTimeChange(compiled, 0)).toBe(60_000);
      expect(nextTimeChange(compiled, instant - 5)).toBe(instant);
    });

    it('follow a patch', () => {
      const before = compileRuleset(ruleset([flag('f')]), { clock: () => instant });
      const after = patchRuleset(before, { version: 2, flags: { f: flag('f', { rules: [rule(clause)] }) } });
      expect([timeTag(before), timeTag(after)]).toEqual(['', '-t1']);
    });
  });
});
