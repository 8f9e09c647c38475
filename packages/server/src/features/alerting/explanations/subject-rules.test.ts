import { describe, expect, it } from 'vitest';
import { subjectOf } from './subject-rules.ts';

const rule = (query: string, op = '>', threshold = 0.5) => ({ query, op, threshold, labels: { team: 'shop' } });
const labels = { 'service.name': 'cart', team: 'shop' };

describe('the rows that make an instance fire', () => {
  it.each([
    [
      'spans | stats value=ratio(status == error) by service.name',
      'spans | where service.name == "cart"',
      'status == error',
    ],
    [
      'spans | where kind == server or root | where name != "x" | stats value=ratio(status == error or http.response.status_code >= 500)',
      'spans | where (kind == server or root) and (name != "x")',
      'status == error or http.response.status_code >= 500',
    ],
    [
      'logs | stats value=count(severity >= error), n=count() by service.name',
      'logs | where service.name == "cart"',
      'severity >= error',
    ],
    ['spans | p99(duration) by service.name', 'spans | where service.name == "cart"', 'duration > 1ns'],
    ['spans | stats m=max(http.request.body.size)', 'spans', 'http.request.body.size > 0.5'],
    ['logs | count by service.name', 'logs | where service.name == "cart"', undefined],
    [
      'spans | stats a=count(), b=ratio(root) by svc=service.name, http.route',
      'spans | where not service.name exists and not http.route exists',
      undefined,
    ],
  ])('of %s', (query, rows, failing) => {
    expect(subjectOf(rule(query), labels)).toEqual({
      source: rows.slice(0, rows.startsWith('spans') ? 5 : 4),
      rows,
      failing,
    });
  });

  it('are those that do not match, where a share must not fall', () => {
    expect(subjectOf(rule('spans | stats value=ratio(status != error)', '<', 0.99), {})?.failing).toBe(
      'not (status != error)',
    );
    expect(subjectOf(rule('spans | stats value=ratio(status != error)', '=='), {})?.failing).toBeUndefined();
  });
  it('are not looked for in a query that is long to parse', () => {
    const query = `spans | where ${'name != "x" and '.repeat(400)}root | count`;
    expect(subjectOf(rule(query), {})).toBeUndefined();
  });
  it('quote labels', () => {
    const told = subjectOf(rule('logs | count by service.name, code'), { 'service.name': 'a"b', code: '500' });
    expect(told?.rows).toBe('logs | where service.name == "a\\"b" and string(code) == "500"');
  });
  it.each([
    'metric m | rate 5m | sum',
    'spans | extend x=1 | count',
    'spans | sample 0.1 | count',
    'nonsense',
    'spans',
  ])('are not known for %s', (query) => {
    expect(subjectOf(rule(query), labels)).toBeUndefined();
  });
});
