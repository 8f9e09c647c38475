import { expect, it } from 'vitest';
import { secondsLeft } from './quantile-cost.ts';

it.each([
  [30, 0, 30],
  [30, 0.01, 30],
  [30, 2.44, 27.6],
  [30, 20, 15],
  [1, 2.5, 0.5],
])('a limit of %d s leaves a statement after an estimate of %d s %d s', (maxSeconds, spent, left) => {
  expect(secondsLeft({ maxSeconds }, spent)).toBe(left);
});
