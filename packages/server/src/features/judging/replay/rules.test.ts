import { compileRuleset, type Flag } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { flag } from '../../../../../flag-engine/src/testing/flags.ts';
import { decide, newReplay, replayUnit, type SeenUnit } from './rules.ts';

const segments = {
  staff: { key: 'staff', version: 1, included: ['ada'], excluded: ['bob'], rules: [] },
};
const rulesetOf = (change: Partial<Flag>) =>
  compileRuleset(
    { version: 1, environment: 'production', project: 'default', flags: { pay: flag('pay', change) }, segments },
    { clock: () => 0 },
  );
const unit = (name: string, kind = '', variant = 'false'): SeenUnit => ({ kind, unit: name, variant });
const rule = (clauses: Flag['rules'][number]['clauses']) => ({ id: 'r', salt: 's', clauses, variant: 'true' });
const country = { attribute: 'country', op: 'in', values: ['DE'], negate: false } as const;
const named = (value: string) => ({ attribute: 'targetingKey', op: 'in', values: [value], negate: false }) as const;
const staff = { op: 'in_segment', values: ['staff'], negate: false } as const;
const half = (bucket_by: string) => ({
  rollout: {
    bucket_by,
    weights: [
      { variant: 'true', weight: 50_000 },
      { variant: 'false', weight: 50_000 },
    ],
  },
});

describe('what a unit gets', () => {
  const sure = (variant: string | null) => ({ certain: true, variant });
  const unsure = (reads: string) => ({ certain: false, reads });
  it.each([
    ['is certain of a flag without rules', {}, unit('ada'), sure('false')],
    [
      'is certain of a flag that is off, whatever its rules',
      { enabled: false, rules: [rule([country])] },
      unit('ada'),
      sure('false'),
    ],
    [
      'is certain of a target',
      { targets: [{ variant: 'true', values: ['ada'] }], rules: [rule([country])] },
      unit('ada'),
      sure('true'),
    ],
    ['depends on a rule over an attribute', { rules: [rule([country])] }, unit('ada'), unsure('country')],
    [
      'is certain if a known condition of that rule fails',
      { rules: [rule([country, named('bob')])] },
      unit('ada'),
      sure('false'),
    ],
    [
      'depends on it if the known condition holds',
      { rules: [rule([country, named('ada')])] },
      unit('ada'),
      unsure('country'),
    ],
    ['is certain before that rule', { rules: [rule([named('ada')]), rule([country])] }, unit('ada'), sure('true')],
    ['is certain of a segment that names the unit', { rules: [rule([staff])] }, unit('ada'), sure('true')],
    ['is certain of a segment that excludes it', { rules: [rule([staff])] }, unit('bob'), sure('false')],
    ['depends on a segment that does not name it', { rules: [rule([staff])] }, unit('eve'), unsure('segment staff')],
    ['is certain of a split by the unit', { fallthrough: half('targetingKey') }, unit('ada'), { certain: true }],
    ['depends on what a split is by', { fallthrough: half('company') }, unit('ada'), unsure('company')],
    [
      'is certain of a split by the attribute that was recorded',
      { fallthrough: half('company') },
      unit('acme', 'company'),
      { certain: true },
    ],
    [
      'depends on prerequisites',
      { prerequisites: [{ flag: 'other', variants: ['on'] }] },
      unit('ada'),
      unsure('prerequisites'),
    ],
  ] as const)('%s', (_, change, seen, decision) =>
    expect(decide(rulesetOf(change as Partial<Flag>), 'pay', seen)).toMatchObject(decision),
  );
});

it('counts changes by what they are from and to, with examples', () => {
  const replay = newReplay();
  const rulesets = {
    now: rulesetOf({}),
    proposed: rulesetOf({ fallthrough: { variant: 'true' }, targets: [{ variant: 'false', values: ['ada'] }] }),
  };
  for (const name of ['ada', ...Array.from({ length: 12 }, (_, n) => `unit-${n}`)])
    replayUnit(replay, rulesets, 'pay', unit(name));
  expect(replay).toMatchObject({ replayed: 13, changed: 12 });
  expect([...replay.moves.values()]).toEqual([{ from: 'false', to: 'true', units: 12 }]);
  expect(replay.examples).toHaveLength(10);
  expect(replay.examples[0]).toEqual({ unit: 'unit-0', from: 'false', to: 'true' });
});

it('takes what a unit got last where the present targeting is uncertain, and counts it where the proposed one is', () => {
  const replay = newReplay();
  const uncertain = rulesetOf({ rules: [rule([country])] });
  replayUnit(replay, { now: uncertain, proposed: rulesetOf({}) }, 'pay', unit('ada', '', 'true'));
  replayUnit(replay, { now: rulesetOf({}), proposed: uncertain }, 'pay', unit('bob'));
  expect(replay).toMatchObject({ replayed: 1, changed: 1, examples: [{ unit: 'ada', from: 'true', to: 'false' }] });
  expect([...replay.uncertain]).toEqual([['country', 1]]);
});
