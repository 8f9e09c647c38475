import { expect, it } from 'vitest';
import { searchConditions, tracesQuery, volumeQuery } from './trace-search.ts';

it('lists root spans without a search', () => {
  expect(tracesQuery(searchConditions({}))).toBe(
    'spans | where root | sort -time | limit 500 | fields time, service.name, name, status, duration, trace_id',
  );
});

it('joins search conditions and quotes names', () => {
  expect(searchConditions({ service: 'a"b', status: 'error', min: '250', q: 'x == 1 or y == 2' })).toEqual([
    'service.name == "a\\"b"',
    'status == error',
    'duration >= 250ms',
    '(x == 1 or y == 2)',
  ]);
  expect(volumeQuery(searchConditions({ min: '1.5 s' }), '1m')).toBe(
    'spans | where duration >= 1.5s | stats n=count() by bucket(1m)',
  );
});
