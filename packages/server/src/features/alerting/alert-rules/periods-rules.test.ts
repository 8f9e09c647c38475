import { describe, expect, it } from 'vitest';
import { activeState, periodsOf } from './periods-rules.ts';

const change = (instance_id: string, ms: number, to_state: string) => ({
  ...{ instance_id, rule: 'Slow', labels: { service: 'cart' }, at: new Date(ms), to_state },
});
const labels = { service: 'cart', alertname: 'Slow' };

describe('periods of alerts', () => {
  it('fire while the alert notifies', () => {
    expect(['pending', 'firing', 'recovering', 'no_data', 'error', 'resolved', 'inactive'].map(activeState)).toEqual([
      'pending',
      'firing',
      'firing',
      'firing',
      'firing',
      undefined,
      undefined,
    ]);
  });
  it('follow each other from pending to resolved, and keep when the alert began', () => {
    const states = ['pending', 'firing', 'recovering', 'firing', 'resolved', 'firing'];
    expect(periodsOf(states.map((state, at) => change('a', at * 10, state)))).toEqual([
      { labels, state: 'pending', from: 0, to: 10, activeAt: 0 },
      { labels, state: 'firing', from: 10, to: 40, activeAt: 0 },
      { labels, state: 'firing', from: 50, to: undefined, activeAt: 50 },
    ]);
  });
  it('do not run from one alert into another', () => {
    expect(periodsOf([change('a', 0, 'pending'), change('b', 5, 'pending'), change('b', 9, 'inactive')])).toEqual([
      { labels, state: 'pending', from: 0, to: undefined, activeAt: 0 },
      { labels, state: 'pending', from: 5, to: 9, activeAt: 5 },
    ]);
  });
});
