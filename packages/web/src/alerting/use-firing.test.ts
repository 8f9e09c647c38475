import { expect, it } from 'vitest';
import { isIn } from './use-firing.ts';

it.each([
  ['of every environment, while all are shown', null, undefined, true],
  ['of every environment, while one is shown', null, 'production', true],
  ['of the environment that is shown', 'production', 'production', true],
  ['of an environment, while all are shown', 'staging', undefined, true],
  ['of another environment', 'staging', 'production', false],
])('shows alerts %s: %s, %s', (_, environment, shown, expected) => {
  expect(isIn({ project: 'shop', environment }, 'shop', shown)).toBe(expected);
  expect(isIn({ project: 'other', environment }, 'shop', shown)).toBe(false);
});
