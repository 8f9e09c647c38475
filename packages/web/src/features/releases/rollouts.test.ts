import { describe, expect, it } from 'vitest';
import type { ListedRamp, ListedRelease } from './queries.ts';
import {
  type Guard,
  guardsText,
  mostUrgentFirst,
  nextText,
  ofRamp,
  ofRelease,
  progressText,
  type Rollout,
  stepShare,
} from './rollouts.ts';

const start = Date.UTC(2026, 0, 10, 12);
const at = (minute: number) => new Date(start + minute * 60_000).toISOString();

const ramp: ListedRamp = {
  id: '1',
  flag: 'cart',
  environment: 'production',
  variant: 'true',
  bucket_by: null,
  steps: [
    { weight: 10_000, hold: '1h' },
    { weight: 50_000, hold: '1h' },
  ],
  status: 'running',
  step: 0,
  weight: 10_000,
  step_started_at: at(0),
  next_step_at: at(60),
  started_at: at(0),
  started_by: 'Ada',
  ended_at: null,
};
const release: ListedRelease = {
  id: '2',
  flag: 'pay',
  environment: 'production',
  variant: 'new',
  steps: [{ weight: 1_000, hold: '30m', min_units: 100 }],
  guards: [
    {
      metric: 'error_rate',
      direction: 'down_is_good',
      tolerance: 0,
      scale: 'absolute',
      min_units: 100,
      on_regression: 'rollback',
    },
  ],
  bucket_by: null,
  when_unsure: 'hold',
  hold_at_most: '7d',
  watch: '24h',
  alpha: 0.05,
  channels: [],
  control: 'old',
  state: 'monitoring',
  version: 1,
  step: 0,
  weight: 1_000,
  step_started_at: at(0),
  next_step_at: at(30),
  watching_until: null,
  paused_reason: null,
  unsure_since: null,
  looks: 0,
  last_look: null,
  armed_at: at(0),
  armed_by: 'Ada',
  ended_at: null,
  ended_reason: null,
  created_at: at(-60),
  updated_at: at(0),
};

describe('a rollout', () => {
  it('names its progress and its next step', () => {
    const rollout = ofRamp(ramp);
    expect(progressText(rollout)).toBe('10% true, step 1 of 2');
    expect(nextText(rollout, start + 30 * 60_000)).toBe('to 50% in 30m');
    expect(nextText(rollout, start + 61 * 60_000)).toBe('to 50% now');
    expect(stepShare(rollout, start + 15 * 60_000)).toBe(0.25);
  });
  it('ends with everybody, or with the ramp', () => {
    const last = ofRamp({ ...ramp, step: 1, weight: 50_000 });
    expect(nextText(last, start)).toBe('done in 1h');
    expect(nextText(ofRelease(release), start)).toBe('everybody in 30m');
  });
  it('has no share while it is a draft', () => {
    expect(progressText(ofRelease({ ...release, state: 'draft', weight: 0 }))).toBe('1 step of new, not begun');
  });
  it('is watched after everybody has got the variant', () => {
    const watching = ofRelease({ ...release, weight: 100_000, next_step_at: null, watching_until: at(24 * 60) });
    expect(watching.state).toEqual({ label: 'Watching', tone: 'ok' });
    expect(progressText(watching)).toBe('everybody gets new, watched');
    expect([nextText(watching, start), stepShare(watching, start + 6 * 3_600_000)]).toEqual(['done in 1d', 0.25]);
  });
  it('does not name a next step while it waits', () => {
    const paused = ofRamp({ ...ramp, status: 'paused', next_step_at: null });
    expect([paused.isActive, paused.isPaused, nextText(paused, start), stepShare(paused, start)]).toEqual([
      true,
      true,
      '–',
      0,
    ]);
  });
  it('paused by a guard says why', () => {
    const paused = ofRelease({ ...release, paused_reason: 'error_rate is worse', next_step_at: null });
    expect(paused).toMatchObject({ isPaused: true, reason: 'error_rate is worse', state: { tone: 'pending' } });
  });
});

it('lists what needs a person first', () => {
  const rows: Rollout[] = [
    ofRamp({ ...ramp, id: 'ended early', status: 'completed', ended_at: at(-100), next_step_at: null }),
    ofRelease({ ...release, id: 'draft', state: 'draft', next_step_at: null, armed_at: null }),
    ofRamp({ ...ramp, id: 'later' }),
    ofRelease({ ...release, id: 'sooner' }),
    ofRamp({ ...ramp, id: 'ended late', status: 'aborted', ended_at: at(-10), next_step_at: null }),
    ofRamp({ ...ramp, id: 'paused', status: 'paused', next_step_at: null }),
  ];
  expect(mostUrgentFirst(rows).map(({ id }) => id)).toEqual([
    'paused',
    'sooner',
    'later',
    'draft',
    'ended late',
    'ended early',
  ]);
});

describe('the state of guards', () => {
  const guard = (name: string, verdict: Guard['verdict']): Guard => ({ name, verdict });
  it.each([
    [[], 'none', 'off'],
    [[guard('errors', 'not_looked')], 'not sure yet', 'off'],
    [[guard('errors', 'no_harm'), guard('p95', 'no_harm')], 'no harm', 'ok'],
    [[guard('errors', 'no_harm'), guard('p95', 'not_sure')], 'no harm in 1 of 2, not sure yet', 'off'],
    [[guard('errors', 'harm'), guard('p95', 'no_harm')], 'errors: harm', 'firing'],
  ] as const)('%j reads %s', (guards, label, tone) => expect(guardsText(guards)).toEqual({ label, tone }));
});
