import { expect, it } from 'vitest';
import { failingQuery, readHealth, readHistory, recentErrors } from './service-health.ts';

const minute = 60_000;
const at = (n: number) => new Date(n * minute).toISOString();

it('writes the share of failed requests for an alert', () => {
  expect(failingQuery('a"b')).toBe(
    'spans | where service.name == "a\\"b" and (kind == server or kind == consumer) | stats value=ratio(status == error) by service.name',
  );
});

it('reads health by service', () => {
  expect(readHealth([{ 'service.name': 'cart', rate: 1.5, errors: 0.1, p50: '1000', p99: 2000 }]).get('cart')).toEqual({
    rate: 1.5,
    errors: 0.1,
    p50: 1000,
    p99: 2000,
  });
});

it('uses the same buckets for all services, without the incomplete one', () => {
  const history = readHistory(
    [
      ['cart', at(0), 3],
      ['cart', at(2), 4],
      ['checkout', at(1), '5'],
    ],
    minute,
    2.5 * minute,
  );
  expect(history.get('cart')).toEqual([3, null]);
  expect(history.get('checkout')).toEqual([null, 5]);
});

it('distinguishes an ongoing incident from a single failure', () => {
  expect(recentErrors([], [])).toBeNull();
  expect(recentErrors([1, 1, 1, 1, 1], [null, 0, 0, 0, 0.5])).toBeCloseTo(0.1);
  expect(recentErrors([9, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0])).toBe(0);
});
