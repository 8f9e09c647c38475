import { describe, expect, it } from 'vitest';
import {
  boundsOf,
  controlText,
  decisionsOf,
  differenceText,
  numberText,
  seriesOf,
  stateText,
} from './judging-words.ts';
import type { GuardedEvent } from './queries.ts';

it.each([
  ['steps of up to a half', [1_000, 50_000], 'as many units'],
  ['a step above a half', [10_000, 80_000], '25% as many units'],
])('a control group has for %s its share of the units', (_, weights, text) => {
  expect(controlText(weights.map((weight) => ({ weight })))).toBe(text);
});

it.each([
  ['of shares in points', { key: 'error_rate', kind: 'ratio' }, 0.01, '1 point'],
  ['of shares of units in points', { key: 'signed_up', kind: 'conversion' }, 0.025, '2.5 points'],
  ['of times in their unit', { key: 'latency', kind: 'mean' }, 20_000_000, '20 ms'],
  ['that are not known', { key: 'error_rate', kind: 'ratio' }, null, '–'],
])('writes differences %s', (_, metric, value, text) => {
  expect(differenceText(metric, value)).toBe(text);
});

const event = (kind: GuardedEvent['kind'], minute: number, bound: number | null = null): GuardedEvent => ({
  id: String(minute),
  time: `2026-11-20T12:${String(minute).padStart(2, '0')}:00.000Z`,
  kind,
  step: 0,
  weight: 1_000,
  reason: '',
  contrast: null,
  look:
    bound === null
      ? null
      : {
          at: '2026-11-20T12:00:00.000Z',
          units: {},
          crossed: 0,
          sample_ratio: { ok: true, p_value: 1, chi_squared_p: 1, observed: {}, expected: {}, crossed: 0 },
          compared_with: 'control' as const,
        },
  guards:
    bound === null
      ? []
      : [
          {
            metric: 'error_rate',
            name: 'Error rate',
            verdict: 'no_harm',
            control: { n: 1, mean: 0 },
            treatment: { n: 1, mean: 0 },
            harm: 0.1,
            bound,
            upper: null,
            units_needed: null,
            tolerance: 0.01,
            error: null,
          },
        ],
});

describe('the words of judging', () => {
  it('leave out looks that changed nothing, and all but the first of several holds', () => {
    const events = [event('step', 5), event('hold', 4), event('hold', 3), event('look', 2), event('armed', 1)];
    expect(decisionsOf(events).map(({ id }) => id)).toEqual(['5', '3', '1']);
  });

  it('follow the bounds of the guards since the release was armed', () => {
    const events = [event('look', 3, -0.02), event('look', 2, -0.5), event('armed', 1), event('look', 0, 9)];
    const { times, guards } = boundsOf(events, '2026-11-20T12:01:00.000Z');
    expect(times).toHaveLength(2);
    expect(guards).toEqual([
      { name: 'Error rate', metric: 'error_rate', tolerance: 0.01, bounds: [-0.5, -0.02], harms: [0.1, 0.1] },
    ]);
  });

  it('name states and numbers as people read them', () => {
    expect(stateText({ state: 'monitoring', paused_reason: 'x', watching_until: null })).toBe(
      'Paused, waiting for a person',
    );
    expect(stateText({ state: 'rolled_back', paused_reason: null, watching_until: null })).toBe('Rolled back');
    expect([numberText('error_rate', 0.125), numberText('latency_p95', 2_500_000), numberText('x', null)]).toEqual([
      '12.5%',
      '2.5 ms',
      '–',
    ]);
  });

  it('fill steps without evaluations with zeros', () => {
    const rollout = {
      from: '2026-11-20T12:00:00.000Z',
      to: '2026-11-20T12:03:00.000Z',
      step_seconds: 60,
      series: [
        { time: '2026-11-20T12:00:00.000Z', variant: 'on', reason: 'split', version: '1', evaluations: 2 },
        { time: '2026-11-20T12:00:00.000Z', variant: 'on', reason: 'default', version: '1', evaluations: 3 },
        { time: '2026-11-20T12:02:00.000Z', variant: 'off', reason: 'split', version: '1', evaluations: 1 },
      ],
      unit_series: [{ time: '2026-11-20T12:01:00.000Z', variant: 'on', units: 4 }],
    };
    const { times, series } = seriesOf(rollout, 'variant');
    expect(times).toHaveLength(3);
    expect(series).toEqual([
      { name: 'off', values: [0, 0, 1] },
      { name: 'on', values: [5, 0, 0] },
    ]);
    expect(seriesOf(rollout, 'reason').series).toEqual([
      { name: 'default', values: [3, 0, 0] },
      { name: 'split', values: [2, 0, 1] },
    ]);
    expect(seriesOf(rollout, 'units').series).toEqual([{ name: 'on', values: [0, 4, 0] }]);
  });
});
