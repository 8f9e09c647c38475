import { expect, it } from 'vitest';
import { readHealth, readHistory, recentErrors } from './service-health.ts';

const minute = 60_000;
const at = (n: number) => new Date(n * minute).toISOString();

it('reads health by service', () => {
  expect(readHealth([{ 'service.name': 'cart', rate: 1.5, errors: 0.1, p50: '1000', p99: 2000 }]).get('cart')).toEqual({
    rate: 1.5,
    errors: 0.1,
    p50: 1000,
    p99: 2000,
  });
});

it('puts all services on the same buckets, without the one that is cut off', () => {
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

it('tells an incident that goes on from one failure among few', () => {
  expect(recentErrors([], [])).toBeNull();
  expect(recentErrors([1, 1, 1, 1, 1], [null, 0, 0, 0, 0.5])).toBeCloseTo(0.1);
  expect(recentErrors([9, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0])).toBe(0);
});
