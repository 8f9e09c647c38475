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

it.each([
  ['another variant', 'false', undefined],
  ['the variant', 'true', { control: 'false', reason: expect.stringMatching(/already/) }],
  ['a split', undefined, { control: 'false', reason: expect.stringMatching(/no control group/) }],
  ['the default of the code', null, { control: 'false', reason: expect.stringMatching(/no control group/) }],
])('sees a dead end where everyone else gets %s', (_, served, found) => {
  expect(deadEndOf(served, 'true', ['true', 'false'], 'false')).toEqual(found);
});
