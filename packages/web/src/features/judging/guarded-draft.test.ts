import { expect, it } from 'vitest';
import { deadEndOf, problemsOf, readDraft, startOf } from './guarded-draft.ts';

it('a new guarded release begins with a plan that can be saved', () => {
  const draft = startOf(null, ['false', 'true'], 'false');
  expect(problemsOf(draft)).toEqual([]);
  expect(readDraft(draft, null)).toEqual({
    variant: 'true',
    when_unsure: 'hold',
    hold_at_most: '7d',
    watch: '24h',
    steps: [
      { weight: 1_000, hold: '30m', min_units: 100 },
      { weight: 10_000, hold: '2h', min_units: 100 },
      { weight: 50_000, hold: '1d', min_units: 100 },
    ],
    guards: [{ metric: 'error_rate', tolerance: 0.01, scale: 'absolute', on_regression: 'rollback', direction: null }],
  });
});

it('steps grow and leave a control group, and numbers are numbers', () => {
  const draft = startOf(null, ['false', 'true'], 'false');
  const [step, guard] = [draft.steps[0], draft.guards[0]];
  if (step === undefined || guard === undefined) throw new Error('a plan has steps and guards');
  expect(problemsOf({ ...draft, steps: [{ ...step, percent: '99' }] })).toEqual([]);
  expect(problemsOf({ ...draft, steps: [{ ...step, percent: '99.5' }] })).toHaveLength(1);
  expect(problemsOf({ ...draft, steps: [step, { ...step, percent: '1' }] })).toHaveLength(1);
  expect(problemsOf({ ...draft, steps: [{ ...step, count: '0', units: 'many' }] })).toHaveLength(2);
  expect(problemsOf({ ...draft, watchCount: 'x' })).toHaveLength(1);
  expect(readDraft({ ...draft, watchCount: '0' }, null).watch).toBe('0s');
  expect(problemsOf({ ...draft, guards: [{ ...guard, tolerance: '-1' }] })).toHaveLength(1);
});

const on = (variant: string | null | undefined) => ({
  enabled: true,
  fallthrough: variant === undefined ? {} : { variant },
  targets: [],
  rules: [],
});

it.each([
  ['another variant', on('false'), undefined],
  ['the variant', on('true'), { control: 'false', reason: expect.stringMatching(/already/) }],
  ['a split', on(undefined), { control: 'false', reason: expect.stringMatching(/no control group/) }],
  ['the default of the code', on(null), { control: 'false', reason: expect.stringMatching(/no control group/) }],
  [
    'nothing while the flag is off',
    { ...on('true'), enabled: false },
    { control: 'false', reason: expect.stringMatching(/off/) },
  ],
  [
    'nothing while the flag is off, and targets would be served',
    { ...on('false'), enabled: false, targets: [{ variant: 'true', values: ['ada'] }] },
    { control: undefined, reason: expect.stringMatching(/turn it on first/) },
  ],
])('sees a dead end where everyone else gets %s', (_, targeting, found) => {
  expect(deadEndOf(targeting, 'true', ['true', 'false'], 'false')).toEqual(found);
});

it.each([
  [1_000, ['1', '10', '50']],
  [25_000, ['25', '50']],
  [50_000, ['50']],
  [80_000, ['80']],
  [100_000, ['1', '10', '50']],
])('a plan that begins at %d goes on with the usual steps', (weight, percents) => {
  const draft = startOf(null, ['false', 'true', 'other'], 'false', { variant: 'other', weight });
  expect(draft.variant).toBe('other');
  expect(draft.steps.map(({ percent }) => percent)).toEqual(percents);
  expect(problemsOf(draft)).toEqual([]);
});
