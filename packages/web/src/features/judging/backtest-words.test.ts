import { describe, expect, it } from 'vitest';
import { backtestAnswer, backtestRows, undecidedText, visibleText } from './backtest-words.ts';
import type { Backtest } from './queries.ts';

const step = {
  weight: 1_000,
  hold: '30m',
  units_per_arm: 400,
  smallest_regression: 0.0123,
  seconds_to_detect: 1_500,
  seconds_to_clear: 0,
  clears_within_hold: true,
};
const guard = {
  metric: 'error_rate',
  name: 'Error rate',
  error: null,
  releases: 90,
  false_rollbacks: 0,
  baseline: 0.02,
  steps: [step],
};
const backtest: Backtest = {
  from: '2026-10-23T00:00:00.000Z',
  to: '2026-11-22T00:00:00.000Z',
  days: 30,
  releases: 90,
  false_rollbacks: 0,
  units_per_day: 5_000,
  note: null,
  guards: [guard],
};

describe('the answer of a backtest', () => {
  const silent = { ...guard, name: 'Purchase', releases: 0 };
  const rows: [string, Partial<Backtest>, string, RegExp][] = [
    ['shows why nothing was replayed', { note: 'No unit saw "off".', releases: 0 }, 'info', /^No unit saw "off"\.$/],
    ['warns when no release could be judged', { releases: 0 }, 'warning', /too few units/],
    ['confirms that no guard acted', {}, 'ok', /^No false alarm in 90 replayed releases: /],
    ['counts false alarms that the release allows', { false_rollbacks: 4 }, 'info', /in 4 of 90 .* allows 5%\.$/],
    ['warns of more than it allows', { false_rollbacks: 5 }, 'warning', /in 5 of 90 .* more than the allowed 5%/],
    ['names guards that judged nothing', { guards: [guard, silent] }, 'warning', /Not judged: Purchase\.$/],
  ];
  it.each(rows)('%s', (_, change, kind, text) => {
    const answer = backtestAnswer({ ...backtest, ...change }, 0.05);
    expect(answer.kind).toBe(kind);
    expect(answer.text).toMatch(text);
  });
});

describe('guards that cannot decide within the hold', () => {
  const late = { ...step, seconds_to_clear: 18_000, clears_within_hold: false };
  const never = { ...late, seconds_to_clear: null };
  const latency = { ...guard, metric: 'latency_p95', name: 'Latency, p95' };
  it.each<[string, Backtest['guards'], 'hold' | 'advance' | 'rollback', RegExp | undefined]>([
    ['are none where all clear in time', [guard], 'hold', undefined],
    [
      'are not named where nothing is known',
      [{ ...guard, steps: [{ ...step, clears_within_hold: null }] }],
      'hold',
      undefined,
    ],
    [
      'are named with the time that they need',
      [
        { ...guard, steps: [late, step] },
        { ...latency, steps: [step, late] },
      ],
      'hold',
      /Error rate in step 1 \(held for 30 minutes, needs about 5 hours\); Latency, p95 in step 2 .* is held until/,
    ],
    ['never decide without a tolerance', [{ ...guard, steps: [never] }], 'rollback', /needs at no time\).*rolls back/],
    ['are passed as planned', [{ ...guard, steps: [late] }], 'advance', /goes on all the same/],
  ])('%s', (_, guards, whenUnsure, text) => {
    const told = undecidedText({ guards }, { when_unsure: whenUnsure });
    if (text === undefined) expect(told).toBeUndefined();
    else expect(told).toMatch(text);
  });
});

describe('the smallest harm that a step shows', () => {
  const unseen = { ...step, smallest_regression: null };
  const rows: [string, object, typeof step | typeof unseen, string][] = [
    ['is in points for an error rate', {}, step, 'worse by 1.23 points (61.5% of it)'],
    [
      'is in milliseconds for a latency',
      { metric: 'latency_p95', baseline: 2e8 },
      { ...step, smallest_regression: 3e7 },
      'worse by 30 ms (15% of it)',
    ],
    ['has no share of zero', { metric: 'bought', baseline: 0 }, { ...step, smallest_regression: 0.5 }, 'worse by 0.5'],
    ['needs enough units', {}, { ...unseen, units_per_arm: 99 }, 'nothing: it needs 100 units in each group'],
    ['is not known without past units', { baseline: null }, unseen, 'not known: too few past units'],
    ['is not known without variance', { baseline: 0 }, unseen, 'not known: the metric did not vary'],
    ['is left out after an error', { error: 'the query failed' }, unseen, '–'],
  ];
  it.each(rows)('%s', (_, change, of, text) => {
    expect(visibleText({ ...guard, ...change }, of, 100)).toBe(text);
  });
});

it('names a guard once, and needs the units of its step and its own', () => {
  const unseen = { ...step, weight: 50_000, hold: '1d', units_per_arm: 150, smallest_regression: null };
  const release = {
    steps: [
      { weight: 1_000, hold: '30m', min_units: 100 },
      { weight: 50_000, hold: '1d', min_units: 100 },
    ],
    guards: [
      {
        metric: 'error_rate',
        direction: 'down_is_good',
        tolerance: 0,
        scale: 'absolute',
        min_units: 200,
        on_regression: 'rollback',
      },
    ],
  } as const;
  const rows = backtestRows(
    { guards: [{ ...guard, steps: [step, unseen] }] },
    { steps: [...release.steps], guards: [...release.guards] },
  );
  expect(rows).toMatchObject([
    {
      name: 'Error rate',
      alarms: '0 of 90',
      step: '1% for 30 minutes',
      units: '400',
      detects: 'after 25 minutes',
      clears: 'at once',
    },
    { name: '', alarms: '', step: '50% for 1 day', visible: 'nothing: it needs 200 units in each group' },
  ]);
});
