import { expect, it } from 'vitest';
import { healthOf, strokeOf } from './health.ts';

it.each([
  [0, 'ok'],
  [0.01, 'warning'],
  [0.05, 'error'],
])('%s of the calls failing is %s', (errors, health) => expect(healthOf(errors)).toBe(health));

it('draws the busiest line widest and one with a thousandth of its rate thinnest', () => {
  expect([strokeOf(100, 100), strokeOf(0.1, 100), strokeOf(0, 100), strokeOf(0, 0)]).toEqual([5, 1.2, 1.2, 1.2]);
});
