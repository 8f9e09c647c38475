import { expect, it } from 'vitest';
import { sloSearchOf } from './slo-search.ts';

it.each([
  ['', {}],
  ['spans | where root', { source: 'spans | where root', good: 'status != error' }],
  [' logs ', { source: 'logs', good: 'severity < error' }],
  ['spans | stats value=p95(duration)', { query: 'spans | stats value=p95(duration)' }],
  ['metric orders | rate | sum', { query: 'metric orders | rate | sum' }],
])('makes an indicator of %j', (query, search) => {
  expect(sloSearchOf(query)).toEqual(search);
});

it('judges the value of PromQL by slices, with its language', () => {
  expect(sloSearchOf(' sum(spans) ', 'promql')).toEqual({ query: 'sum(spans)', lang: 'promql' });
  expect(sloSearchOf(' ', 'promql')).toEqual({});
});
