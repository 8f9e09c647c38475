import { expect, it } from 'vitest';
import { SeriesBudget } from './series-budget.ts';

const day = 86_400_000;

it('is near its limit at half of the budget, counts waiting points, and resets each day', () => {
  const budget = new SeriesBudget(100);
  budget.add(1, 49, 0);
  expect(budget.isNear(1, 0)).toBe(false);
  budget.add(1, 1, 0);
  expect([budget.isNear(1, 0), budget.isNear(2, 0)]).toEqual([true, false]);
  expect(budget.isNear(1, day)).toBe(false);

  budget.accepted(1, 99, day);
  expect(budget.isNear(1, day)).toBe(false);
  budget.accepted(1, 1, day);
  expect(budget.isNear(1, day)).toBe(true);
  budget.transcoded(1, 60);
  budget.transcoded(2, 60);
  expect(budget.isNear(1, day)).toBe(false);
  budget.transcoded(1, 1000);
  budget.accepted(1, 99, day);
  expect(budget.isNear(1, day)).toBe(false);
});
