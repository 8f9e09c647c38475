import { expect, it } from 'vitest';
import { directly, matchScore, rank } from './palette-match.ts';

const items = ['Services', 'Explore', 'Settings', 'new-checkout', 'checkout-v2', 'old-check'].map((label) => ({
  label,
  group: 'x',
}));

it('matches all words in any order, and rejects text that lacks one', () => {
  expect(matchScore('new-checkout', 'check new')).not.toBeNull();
  expect(matchScore('new-checkout', 'check old')).toBeNull();
});

it('ranks early and word-initial matches first', () => {
  expect(rank(items, 'check').map((item) => item.label)).toEqual(['checkout-v2', 'old-check', 'new-checkout']);
  expect(rank(items, 'se')[0]?.label).toBe('Services');
});

it('keeps the order while the input is empty', () => {
  expect(rank(items, ' ', 2).map((item) => item.label)).toEqual(['Services', 'Explore']);
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
it.each([
  [TRACE, { kind: 'trace', traceId: TRACE }],
  [`  ${TRACE.toUpperCase()} `, { kind: 'trace', traceId: TRACE }],
  ['4bf92f35-77b3-4da6-a3ce-929d0e0e4736', { kind: 'trace', traceId: TRACE }],
  [`00-${TRACE}-00f067aa0ba902b7-01`, { kind: 'trace', traceId: TRACE }],
  ['spans | where status == error', { kind: 'query', query: 'spans | where status == error' }],
  ['metric http.server.request.duration | p99', { kind: 'query', query: 'metric http.server.request.duration | p99' }],
  // No trace has the id 0, and half an id opens nothing.
  ['0'.repeat(32), undefined],
  [TRACE.slice(1), undefined],
  ['00f067aa0ba902b7', undefined],
  // Names of pages and flags, and a query that is not finished.
  ['logs', undefined],
  ['flags new', undefined],
  ['spans |', undefined],
])('recognizes %s', (typed, expected) => {
  expect(directly(typed)).toEqual(expected);
});
