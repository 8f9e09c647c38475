import { expect, it } from 'vitest';
import { LEAST_WIDTH, limitWidth, MOST_WIDTH, USUAL_WIDTH, widthByKey } from './docked-width.ts';

it.each([
  [420, 420],
  [10, LEAST_WIDTH],
  [5000, MOST_WIDTH],
  [500.4, 500],
  [Number.NaN, USUAL_WIDTH],
])('limits a width of %s to %s', (width, limited) => expect(limitWidth(width)).toBe(limited));

it('changes the width by the arrow keys, and resets it with Home', () => {
  expect(widthByKey('ArrowLeft', 420)).toBe(440);
  expect(widthByKey('ArrowRight', 420)).toBe(400);
  expect(widthByKey('ArrowRight', LEAST_WIDTH)).toBe(LEAST_WIDTH);
  expect(widthByKey('Home', 700)).toBe(USUAL_WIDTH);
  expect(widthByKey('Tab', 420)).toBeUndefined();
});
