import { describe, expect, it } from 'vitest';
import { causeOf } from './cause.ts';

const explanation = {
  window: { from: '2026-11-22T09:55:00.000Z', to: '2026-11-22T10:00:00.000Z' },
  flags: [{ flag: 'new-checkout', variant: 'on', failing: 0.94, others: 0.1 }],
  changes: [
    {
      time: '2026-11-22T09:48:00.000Z',
      kind: 'flag' as const,
      name: 'new-checkout',
      detail: 'targeting',
      environment: 'production',
      actor: 'Ada',
    },
  ],
  contrast: [
    { field: 'service.name', value: 'payments', failing: 1, others: 0 },
    { field: 'http.route', value: '/pay', failing: 0.9, others: 0.2 },
  ],
};
const known = new Set(['service.name']);

describe('the cause of an alert in one line', () => {
  it('names the variant that failing traces saw', () => {
    expect(causeOf(explanation, known)).toBe('94% of failing traces saw new-checkout = on, of the others 10%');
  });

  it('names the last change if no variant stands out', () => {
    const flags = [{ flag: 'other', variant: 'on', failing: 0.5, others: 0.45 }];
    expect(causeOf({ ...explanation, flags }, known)).toBe(
      '12 min before, the flag new-checkout changed in production',
    );
    const deploy = {
      time: explanation.window.to,
      kind: 'deploy' as const,
      name: 'payments',
      detail: 'version 2',
      environment: null,
      actor: null,
    };
    expect(causeOf({ ...explanation, flags: [], changes: [deploy] }, known)).toBe(
      'Just before, payments got version 2',
    );
  });

  it('names an attribute that is no label of the alert if nothing changed', () => {
    const quiet = { ...explanation, flags: [], changes: [] };
    expect(causeOf(quiet, known)).toBe('90% of failing rows have http.route = /pay, of the others 20%');
    expect(causeOf({ ...quiet, contrast: quiet.contrast.slice(0, 1) }, known)).toBeNull();
  });
});
