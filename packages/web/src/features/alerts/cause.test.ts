import { describe, expect, it } from 'vitest';
import { causeOf } from './cause.ts';

const change = {
  time: '2026-11-22T09:48:00.000Z',
  kind: 'flag' as const,
  name: 'new-checkout',
  detail: 'targeting',
  environment: 'production',
  actor: 'Ada',
};
const why = {
  verdict: 'unknown' as const,
  reason: 'No trace is selected.',
  onset: null,
  suspects: [],
  folded: [],
  compared: { selected: 0, others: 0 },
  warnings: [],
};
const explanation = {
  window: { from: '2026-11-22T09:00:00.000Z', to: '2026-11-22T10:00:00.000Z' },
  why,
  changes: [change],
};
const suspect = {
  cause: { kind: 'flag' as const, flag: 'image-cdn', variant: 'true' },
  sentence: 'image-cdn → 100 % true at 09:50; errors +3 points, only in traces with `true`; explains 87 % of them',
  effect: { value: 0.03, low: 0.02, high: 0.04 },
  rates: { exposed: 0.04, others: 0.01 },
  explains: 0.87,
  change: null,
  standing: false,
  also: [],
  action: { kind: 'turn_off' as const, flag: 'image-cdn', project: null, environment: null, running: [] },
};

describe('the cause of an alert in one line', () => {
  it('is the sentence of the first suspect', () => {
    expect(causeOf({ ...explanation, why: { ...why, verdict: 'suspects', reason: null, suspects: [suspect] } })).toBe(
      suspect.sentence,
    );
  });

  it('is the last change if rows could not be compared', () => {
    expect(causeOf(explanation)).toBe('12 min before, the flag new-checkout changed in production');
    const deploy = { ...change, time: explanation.window.to, kind: 'deploy' as const, name: 'payments' };
    expect(causeOf({ ...explanation, changes: [{ ...deploy, detail: 'version 2', environment: null }] })).toBe(
      'Just before, payments got version 2',
    );
  });

  it('is not a change that was compared and is no suspect', () => {
    expect(causeOf({ ...explanation, why: { ...why, verdict: 'no_cause', reason: null } })).toBeNull();
  });
});
