import { expect, it } from 'vitest';
import { logsQuery, searchConditions, volumeQuery } from './log-search.ts';

it('looks for every word in the body', () => {
  expect(searchConditions({ q: 'payment timeout' })).toEqual(['body has "payment"', 'body has "timeout"']);
});

it('takes an expression as it is', () => {
  expect(searchConditions({ q: 'order.id == 7 or body has "x"' })).toEqual(['(order.id == 7 or body has "x")']);
});

it('joins service and severity; an unknown severity is left out', () => {
  expect(searchConditions({ service: 'cart', severity: 'warn' })).toEqual([
    'service.name == "cart"',
    'severity >= warn',
  ]);
  expect(searchConditions({ severity: 'loud' })).toEqual([]);
});

it('writes both queries', () => {
  expect(logsQuery([])).toBe('logs | sort -time | limit 2000');
  expect(volumeQuery(['a == 1'], '1m')).toBe('logs | where a == 1 | stats n=count() by severity, bucket(1m)');
});
