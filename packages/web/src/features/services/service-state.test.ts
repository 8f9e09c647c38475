import { describe, expect, it } from 'vitest';
import type { WindowNumbers } from './service-health.ts';
import { pointChange, relativeChange, serviceState } from './service-state.ts';

const numbers = (given: Partial<WindowNumbers> = {}): WindowNumbers => ({
  requests: 1000,
  rate: 1,
  errors: 0,
  p50: 10e6,
  p99: 100e6,
  ...given,
});
const well = { window: numbers(), before: numbers(), recentErrors: 0, failedSpans: 0 };

describe('the state of a service', () => {
  it.each([
    ['is well without a failed span', {}, 'ok', ['No errors']],
    [
      'is not well with one failed call',
      { failedSpans: 1 },
      'noted',
      ['No request failed, but calls that it made did'],
    ],
    ['notes few failed requests', { window: numbers({ errors: 0.003 }) }, 'noted', ['0.3% of requests failed']],
    ['warns from 1% on', { window: numbers({ errors: 0.01 }) }, 'warning', ['1% of requests failed']],
    ['alarms from 5% on', { window: numbers({ errors: 0.05 }) }, 'error', ['5% of requests failed']],
    [
      'shows an incident that a long window would hide',
      { window: numbers({ errors: 0.004 }), recentErrors: 0.4 },
      'error',
      ['40% of recent requests failed'],
    ],
    [
      'shows an incident that is over',
      { window: numbers({ errors: 0.06 }), recentErrors: 0.02 },
      'error',
      ['6% of requests failed'],
    ],
    [
      'is not alarmed by a few failures',
      { window: numbers({ requests: 10, errors: 0.2 }) },
      'noted',
      ['20% of requests failed'],
    ],
    ['warns if p99 grew', { window: numbers({ p99: 160e6 }) }, 'warning', ['p99 is 1.6 times the window before']],
    [
      'takes the worst of errors and p99',
      { window: numbers({ errors: 0.02, p99: 300e6 }) },
      'error',
      ['p99 is 3.0 times the window before', '2% of requests failed'],
    ],
    ['does not judge a p99 of few requests', { window: numbers({ requests: 49, p99: 900e6 }) }, 'ok', ['No errors']],
    [
      'does not judge a p99 against nothing',
      { window: numbers({ p99: 900e6 }), before: undefined },
      'ok',
      ['No errors'],
    ],
  ] as const)('%s', (_, given, tone, reasons) =>
    expect(serviceState({ ...well, ...given })).toEqual({ tone, reasons }),
  );
});

it.each([
  [2, 1, { direction: 'up', text: '2.0 times' }],
  [1.12, 1, { direction: 'up', text: '12%' }],
  [0.5, 1, { direction: 'down', text: '50%' }],
  [1.001, 1, { direction: 'same', text: '0%' }],
  [1, 0, undefined],
  [null, 1, undefined],
  [1, undefined, undefined],
] as const)('compares %s with %s before', (now, before, change) => expect(relativeChange(now, before)).toEqual(change));

it.each([
  [0.031, 0.01, { direction: 'up', text: '2.1 points' }],
  [0.01, 0.02, { direction: 'down', text: '1 point' }],
  [0.5, 0.1, { direction: 'up', text: '40 points' }],
  [0.01, 0.01, { direction: 'same', text: '0 points' }],
  [null, 0.1, undefined],
] as const)('compares the share %s with %s before in points', (now, before, change) =>
  expect(pointChange(now, before)).toEqual(change),
);
