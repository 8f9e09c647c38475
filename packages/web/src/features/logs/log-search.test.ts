import { expect, it } from 'vitest';
import { alertQuery, groupQuery, logsQuery, searchConditions, volumeQuery } from './log-search.ts';

it('searches the body for every word', () => {
  expect(searchConditions({ q: 'payment timeout' })).toEqual(['body has "payment"', 'body has "timeout"']);
});

it('keeps an expression unchanged', () => {
  expect(searchConditions({ q: 'order.id == 7 or body has "x"' })).toEqual(['(order.id == 7 or body has "x")']);
});

it('joins service and severity, and omits an unknown severity', () => {
  expect(searchConditions({ service: 'cart', severity: 'warn' })).toEqual([
    'service.name == "cart"',
    'severity >= warn',
  ]);
  expect(searchConditions({ severity: 'loud' })).toEqual([]);
});

it('writes its queries', () => {
  expect(logsQuery([], 200)).toBe('logs | sort -time | limit 200');
  expect(alertQuery(['a == 1'])).toBe('logs | where a == 1 | stats value=count() by service.name');
  expect(volumeQuery(['a == 1'], '1m')).toBe('logs | where a == 1 | stats n=count() by severity, bucket(1m)');
});

it('counts lines by a field', () => {
  expect(groupQuery(['a == 1'], 'k8s.pod-name')).toBe(
    'logs | where a == 1 | stats n=count() by k8s.`pod-name`, bucket(auto)',
  );
});
