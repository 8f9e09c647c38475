import { describe, expect, it } from 'vitest';
import type { Standing } from './queries.ts';
import {
  allowedText,
  attainmentText,
  burnText,
  isOfService,
  leastBudgetFirst,
  objectiveText,
  stateOf,
  windowText,
} from './slo-words.ts';

it.each([
  [0.9, '90%'],
  [0.999, '99.9%'],
  [0.99995, '99.995%'],
  [0.9999999, '99.99999%'],
])('shows every digit of the objective %d', (objective, text) => {
  expect(objectiveText(objective)).toBe(text);
});

it.each([
  [0.9989999, 0.999, '99.89%'],
  [0.9995, 0.999, '99.95%'],
  [0.99994999, 0.9999, '99.994%'],
  [1, 0.999, '100%'],
  [0.29, 0.9, '29%'],
  [null, 0.9, '–'],
])('cuts the attainment %d of %d and never rounds it up', (attainment, objective, text) => {
  expect(attainmentText(attainment, objective)).toBe(text);
});

it.each([
  [0.999, 30, '43m 12s'],
  [0.9995, 30, '21m 36s'],
  [0.9999, 30, '4m 19s'],
  [0.99, 7, '1h 41m'],
])('knows the time that %d allows in %i days', (objective, days, text) => {
  expect(allowedText(objective, days * 86_400)).toBe(text);
});

it.each([
  [null, '–'],
  [0, '0×'],
  [0.4, '0.4×'],
  [14.4, '14.4×'],
  [1000, '1000×'],
])('shows the burn rate %d', (rate, text) => {
  expect(burnText(rate)).toBe(text);
});

it('names windows', () => {
  expect(windowText({ kind: 'rolling', period: '30d' })).toBe('30 days');
  expect(windowText({ kind: 'calendar', unit: 'month', time_zone: 'Europe/Berlin' })).toBe(
    'calendar month (Europe/Berlin)',
  );
});

describe('the state of an SLO', () => {
  const fine = {
    health: { derived_to: '', error: null },
    backfill: { state: 'done', progress: 1, error: null },
  } as const;
  const standing = (left: number | null, firing: ('page' | 'ticket')[] = []) => ({
    total: left === null ? 0 : 100,
    budget: { allowed: 1, spent: 0, left, period_seconds: 1 },
    alerts: firing.map((severity) => ({
      severity,
      long: '1h',
      short: '5m',
      factor: 14.4,
      reachable: true,
      firing: true,
    })),
  });
  it.each([
    ['a query that fails', { ...fine, health: { derived_to: '', error: 'x' } }, standing(1), 'Cannot be counted'],
    ['no answer yet', fine, undefined, 'Loading'],
    ['no permission', fine, null, 'Not readable'],
    [
      'a past that is not counted',
      { ...fine, backfill: { ...fine.backfill, state: 'running' } },
      standing(null),
      'Counting',
    ],
    ['no events', fine, standing(null), 'No events'],
    ['a fast burn, also of a spent budget', fine, standing(-1, ['page', 'ticket']), 'Burning fast'],
    ['a spent budget', fine, standing(0, ['ticket']), 'Budget spent'],
    ['a slow burn', fine, standing(0.2, ['ticket']), 'Burning'],
    ['budget', fine, standing(0.2), 'OK'],
  ] as const)('with %s', (_name, slo, status, label) => {
    expect(stateOf(slo, status).label).toBe(label);
  });
});

it.each([
  [{ kind: 'events', source: 'spans | where service.name == "a" and root', good: 'x' }, true],
  [{ kind: 'ratio', good: 'logs | count', total: 'logs | where service.name == "a" | count' }, true],
  [{ kind: 'slices', query: 'spans | stats value=count()', op: '<', threshold: 1, slice: '1m' }, false],
  [{ kind: 'events', source: 'spans | where service.name == "ab"', good: 'x' }, false],
] as const)('finds the service of %j', (indicator, found) => {
  expect(isOfService(indicator, 'a')).toBe(found);
});

it('sorts the least budget first, and SLOs without events last', () => {
  const slo = (name: string, left: number | null) => ({ name, status: { budget: { left } } as Standing });
  const sorted = leastBudgetFirst([slo('none', null), slo('b', 0.5), slo('a', 0.5), slo('spent', -2)]);
  expect(sorted.map(({ name }) => name)).toEqual(['spent', 'a', 'b', 'none']);
});
