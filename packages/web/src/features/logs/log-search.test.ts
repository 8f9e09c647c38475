import { expect, it } from 'vitest';
import { alertQuery, evaluationsQuery, groupQuery, logsQuery, searchConditions, volumeQuery } from './log-search.ts';

const shown = { evaluations: 'show' };
const hidden = 'event_name != "feature_flag.evaluation"';

it('searches the body for every word', () => {
  expect(searchConditions({ q: 'payment timeout', ...shown })).toEqual(['body has "payment"', 'body has "timeout"']);
});

it('keeps an expression unchanged', () => {
  expect(searchConditions({ q: 'order.id == 7 or body has "x"', ...shown })).toEqual([
    '(order.id == 7 or body has "x")',
  ]);
});

it('joins service and severity, and omits an unknown severity', () => {
  expect(searchConditions({ service: 'cart', severity: 'warn', ...shown })).toEqual([
    'service.name == "cart"',
    'severity >= warn',
  ]);
  expect(searchConditions({ severity: 'loud', ...shown })).toEqual([]);
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

it('leaves out flag evaluations, unless the search asks for them or about them', () => {
  expect(searchConditions({ q: 'timeout' })).toEqual(['body has "timeout"', hidden]);
  expect(searchConditions({ service: 'cart', ...shown })).toEqual(['service.name == "cart"']);
  for (const asked of ['event_name exists', 'feature_flag.key == "new-checkout"', 'shape in (1, 2)'])
    expect(searchConditions({ q: asked }), asked).toEqual([`(${asked})`]);
  expect(searchConditions({ where: 'event_name == "feature_flag.evaluation"' })).not.toContain(hidden);
});

it('counts the flag evaluations that it leaves out', () => {
  expect(evaluationsQuery({ service: 'cart' })).toBe(
    'logs | where service.name == "cart" and event_name == "feature_flag.evaluation" | stats n=count()',
  );
});
