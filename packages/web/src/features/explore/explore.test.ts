import { ApiError } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { diagnosticsOf } from './diagnostics.ts';
import { queryFacts } from './query-facts.ts';
import { stageKeys } from './stage-keys.ts';

describe('stageKeys', () => {
  it.each([
    ['spans | stats n=count() by service.name, bucket(5m)', 2],
    ['spans | where body == "x | stats by a, b" | stats n=count() by a', 1],
    ['spans | stats count()', 0],
    ['spans | stats n=count(a, b)\n  by http.response.status_code,\n  bucket(1m) | sort -n', 2],
    ['spans | stats n=count() by a, b | stats m=max(n) by a', 1],
    ['spans | where a == 1', undefined],
  ])('%s', (query, keys) => expect(stageKeys(query)).toBe(keys));
});

const diagnostic = {
  code: 'OQL-1001',
  severity: 'error' as const,
  message: 'unknown stage wher',
  span: { start: 8, end: 12, line: 1, column: 9 },
  suggestion: { text: 'where', edit: { start: 8, end: 12, text: 'where' } },
};

it('reads the diagnostics of a rejected query', () => {
  const error = new ApiError({
    code: 'SVC-5001',
    status: 422,
    message: 'no',
    details: [{ path: 'query', ...diagnostic }],
  });
  expect(diagnosticsOf(error)).toHaveLength(1);
  expect(diagnosticsOf(new Error('x'))).toEqual([]);
});

describe('queryFacts', () => {
  it.each([
    ['spans | stats r=ratio(status == error), n=count() by name', ['r']],
    ['spans | stats ratio(status == error) by name', ['ratio(status == error)']],
    ['spans | ratio(status == error) by name', ['ratio']],
    ['spans | stats n=count() by name | extend part = share(n), n2 = n + 1', ['part']],
    ['metric x | rate', []],
  ])('knows which columns of %s are shares', (query, ratios) => expect([...queryFacts(query).ratios]).toEqual(ratios));

  it.each([
    ['spans | where a == 1', 'service.name', 'service.name'],
    ['spans', 'attributes.http.route', 'http.route'],
    ['spans | extend x = 1', 'x', undefined],
    ['spans | stats n=count() by s=service.name, bucket(5m)', 's', 'service.name'],
    ['spans | stats n=count() by s=service.name, bucket(5m)', 'n', undefined],
    ['spans | stats n=count() by s=upper(service.name)', 's', undefined],
    ['spans | extend x = 1 | stats n=count() by x', 'x', undefined],
    ['spans | count by name', 'name', 'name'],
  ])('%s: %s is %s', (query, column, field) => expect(queryFacts(query).fieldOf(column)).toBe(field));

  it.each([
    ['logs | where severity >= error | context 5', true],
    ['logs | where severity >= error | context 5 | fields time, body, match', true],
    ['logs | where severity >= error | context 5 | extend match = false', false],
    ['logs | where severity >= error | context 5 | stats n=count() by match', false],
    ['logs | where severity >= error', false],
  ])('%s shows records around matches: %s', (query, shows) => expect(queryFacts(query).showsContext).toBe(shows));
});
