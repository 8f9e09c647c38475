import type { DashboardVariable } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { boundVariables, placeOf } from './variable-rules.ts';

const widths = { rangeMs: 3_600_000, stepMs: 30_000 };
const service: DashboardVariable = { name: 'service', type: 'query', query: 'spans', default: 'checkout' };
const bound = (definition: DashboardVariable, values: Record<string, string | string[]> = {}) =>
  boundVariables([definition], values, widths).get(definition.name);

describe('the values of variables', () => {
  it.each([
    ['the chosen value', { service: 'cart' }, { kind: 'values', values: ['cart'] }],
    ['the default', {}, { kind: 'values', values: ['checkout'] }],
    ['several', { service: ['cart', 'ad'] }, { kind: 'values', values: ['cart', 'ad'] }],
    ['all', { service: '$__all' }, { kind: 'any' }],
    ['all among others', { service: ['cart', '$__all'] }, { kind: 'any' }],
    ['nothing chosen', { service: [] }, { kind: 'any' }],
    ['an empty text', { service: '' }, { kind: 'any' }],
  ])('are %s', (_, values, expected) => {
    expect(bound(service, values)).toEqual(expected);
  });

  it('are any without a default', () => {
    expect(bound({ name: 'a', type: 'text' })).toEqual({ kind: 'any' });
  });

  it('do not come from the prototype of the given values', () => {
    expect(bound({ name: 'constructor', type: 'text' })).toEqual({ kind: 'any' });
  });

  it('are durations for intervals, for the step and for the length of the window', () => {
    expect(bound({ name: 'i', type: 'interval', values: ['1m'], default: '1m' })).toEqual({
      kind: 'duration',
      text: '1m',
    });
    const built = boundVariables([], {}, widths);
    expect([built.get('__interval'), built.get('__range')]).toEqual([
      { kind: 'duration', text: '30s' },
      { kind: 'duration', text: '1h' },
    ]);
  });

  it('of the types project and environment narrow the place', () => {
    const definitions: DashboardVariable[] = [
      { name: 'p', type: 'project' },
      { name: 'e', type: 'environment', default: 'production' },
    ];
    expect(placeOf(definitions, {})).toEqual({ project: undefined, environment: 'production' });
    expect(placeOf(definitions, { p: 'shop', e: '$__all' })).toEqual({ project: 'shop', environment: undefined });
  });
});
