import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  chartQuery,
  conditionText,
  emptyDraft,
  filtersByValue,
  inLanguage,
  labelsOf,
  missingParts,
  windowOf,
} from './rule-draft.ts';

describe('the query of the chart', () => {
  it.each([
    ['spans | stats value=count() by service.name', 'spans | stats value=count() by service.name, bucket(1m)'],
    ['spans | stats value=count()', 'spans | stats value=count() by bucket(1m)'],
    ['metric m | rate 5m | sum by job', 'metric m | rate 5m | sum by job, bucket(1m)'],
    ['logs | count | where count > 3', 'logs | count by bucket(1m) | where count > 3'],
  ])('adds buckets to %s', (query, expected) => {
    expect(chartQuery(query, '1m')).toBe(expected);
  });
  it.each(['', 'spans', 'spans | stats n=count() by x | top 5 by n', 'spans | wher x | stats n=count()'])(
    'does not exist for %j',
    (query) => {
      expect(chartQuery(query, '1m')).toBeNull();
    },
  );
});

describe('a query', () => {
  it.each([
    ['spans | stats value=ratio(status == error) by service.name | where value > 0.05', true],
    ['logs | count by service.name | where count > 3 and service.name != "search"', true],
    ['metric m | rate 5m | sum by job | where not (0 < sum)', true],
    ['spans | stats value=count() by s=service.name | where value between 1 .. 5', true],
    ['spans | stats value=count() by service.name | where service.name != "search"', false],
    ['spans | stats value=count() by s=service.name | where s != "search"', false],
    ['spans | where duration > 1s | stats value=count() by service.name', false],
    ['spans | stats value=count() by service.name', false],
    ['spans | where duration > 1s', false],
    ['spans | stats value=', false],
    ['', false],
  ])('%j filters by its value: %s', (query, filters) => {
    expect(filtersByValue(query)).toBe(filters);
  });
});

describe('a draft', () => {
  it('names what is missing', () => {
    expect(Object.keys(missingParts(emptyDraft))).toEqual(['query', 'threshold']);
    expect(missingParts({ ...emptyDraft, query: 'logs | count', kind: 'absence' })).toEqual({});
    expect(Object.keys(missingParts({ ...emptyDraft, query: 'logs | count', threshold: '1', labels: 'x' }))).toEqual([
      'labels',
    ]);
  });
  it('reads labels line by line, with = in values', () => {
    expect(labelsOf('team=checkout\n\n q = a=b ')).toEqual({ team: 'checkout', q: 'a=b' });
    expect(labelsOf('=x')).toBeUndefined();
  });
  it('keeps annotations that it has no field for, and removes emptied ones', () => {
    const body = bodyOf({ ...emptyDraft, threshold: '1', description: 'why' }, { summary: 'old', dashboard: 'd' });
    expect(body.annotations).toEqual({ dashboard: 'd', description: 'why' });
  });
  it('in PromQL compares in the expression, unless there is a threshold', () => {
    const draft = { ...emptyDraft, query: 'up == 0', window: '5m' };
    const promql = { ...draft, ...inLanguage(draft, 'promql') };
    expect(missingParts(promql)).toEqual({});
    expect(bodyOf(promql)).toMatchObject({ query_language: 'promql', condition: { for: '0s', keep_firing_for: '0s' } });
    expect(bodyOf(promql)).not.toHaveProperty('window');
    expect(bodyOf(promql).condition).not.toHaveProperty('op');
    expect(inLanguage({ ...draft, threshold: '3' }, 'promql')).toEqual({ language: 'promql', window: '' });
    expect(inLanguage(promql, 'oql')).toEqual({ language: 'oql', op: '>' });
  });
  it('covers its interval, and at least a minute', () => {
    expect(windowOf({ window: '', every: '10s' })).toBe('1m');
    expect(windowOf({ window: '', every: '5m' })).toBe('5m');
    expect(windowOf({ window: '1h', every: '5m' })).toBe('1h');
  });
});

describe('a condition in words', () => {
  const condition = { op: '>', threshold: 0.05, for: '5m', keep_firing_for: '0s' } as const;
  it.each([
    [{ kind: 'threshold', condition, change: null }, '> 0.05 for 5m'],
    [{ kind: 'threshold', condition: { for: '5m', keep_firing_for: '0s' }, change: null }, 'any series for 5m'],
    [{ kind: 'absence', condition: { ...condition, for: '0s' }, change: null }, 'no rows'],
    [{ kind: 'change', condition, change: { ago: '1d', as: 'ratio' } }, 'change from 1d before > 0.05 for 5m'],
  ] as const)('%j', (rule, expected) => {
    expect(conditionText(rule)).toBe(expected);
  });
});
