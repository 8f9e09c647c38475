import { ApiError } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { diagnosticsOf } from './diagnostics.ts';
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
