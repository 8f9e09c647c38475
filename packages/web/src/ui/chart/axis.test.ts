import { expect, it } from 'vitest';
import { timeAxisSize, timeTicks, valueRange } from './axis.ts';

it('shows the date where it changes, and seconds only for close ticks', () => {
  const at = (day: number, hour: number, minute = 0) => new Date(2026, 2, day, hour, minute).getTime();
  expect(timeTicks([at(1, 22), at(1, 23), at(2, 0), at(2, 1)], 3_600_000)).toEqual([
    '22:00',
    '23:00',
    '00:00\n03-02',
    '01:00',
  ]);
  expect(timeTicks([at(1, 22, 1)], 1000)).toEqual(['22:01:00']);
  expect(timeTicks([at(1, 0), at(2, 0)], 86_400_000)).toEqual(['03-01', '03-02']);
});

it('starts at zero and never has zero height', () => {
  expect(valueRange(5, 10)).toEqual([0, 10.6]);
  expect(valueRange(null, null)).toEqual([0, 1]);
  expect(valueRange(0, 0)).toEqual([0, 1]);
  expect(valueRange(-10, -5)[0]).toBeCloseTo(-10.6);
});

it('reserves space for a second line of labels if there is one', () => {
  expect(timeAxisSize(['22:00', '23:00'])).toBe(32);
  expect(timeAxisSize(['23:00', null, '00:00\n03-02'])).toBeGreaterThan(40);
  expect(timeAxisSize(null)).toBe(32);
});
