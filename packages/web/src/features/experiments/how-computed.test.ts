import { expect, it } from 'vitest';
import { methodsOf } from './how-computed.ts';
import type { Experiment } from './queries.ts';

const analysis: Experiment['analysis'] = {
  engine: 'frequentist',
  alpha: 0.05,
  sequential: true,
  cuped: false,
  cuped_days: 14,
  correction: 'holm',
  minimal_effect: 0.05,
  prior: null,
};
const phase: Experiment['phases'][number] = {
  from: '2026-11-22T00:00:00Z',
  to: null,
  variants: [],
  share: 100_000,
  audience: [],
  reason: '',
};
const of = (change: Partial<Experiment['analysis']>, kind: string, goals = 1, phases = 1) =>
  methodsOf({ analysis: { ...analysis, ...change }, phases: Array.from({ length: phases }, () => phase) }, kind, goals);

it('explains how a number was computed, the most important part first', () => {
  const titles = (...methods: ReturnType<typeof methodsOf>) => methods.map(({ title }) => title);
  expect(titles(...of({}, 'conversion'))).toEqual(['The interval', 'The change', 'The split']);
  expect(titles(...of({ engine: 'bayesian' }, 'ratio'))[0]).toMatch(/chance to win/);
  expect(titles(...of({ cuped: true }, 'sum', 3, 2))).toEqual([
    'The interval',
    'Several phases',
    'What units did before',
    'Several goals',
    'The change',
    'The split',
  ]);
  expect(of({}, 'quantile', 1, 2).find(({ title }) => title === 'Several phases')?.words).toMatch(/last phase/);
});
