import { describe, expect, it } from 'vitest';
import { type Mark, marksWithin, placesOf } from './marks.tsx';

const at = (time: number, more: Partial<Mark> = {}): Mark => ({ time, label: `at ${time}`, details: 'what', ...more });
const times = (marks: readonly Mark[]) => marks.map(({ time }) => time);

describe('marks of a chart', () => {
  const known = { window: { from: 1_000, to: 2_000 }, marks: [at(900, { end: 1_100 }), at(1_200), at(1_900)] };

  it('are those in its window, and those that reach into it', () => {
    expect(times(marksWithin(known, { from: 1_000, to: 2_000 }))).toEqual([900, 1_200, 1_900]);
    expect(times(marksWithin(known, { from: 1_150, to: 1_500 }))).toEqual([1_200]);
  });
  it('are left out if only a part of its window is known', () => {
    expect(marksWithin(known, { from: 500, to: 2_000 })).toEqual([]);
    expect(marksWithin(known, { from: 1_000, to: 9_000 })).toEqual([]);
    expect(marksWithin(known, undefined)).toEqual([]);
  });
  it('count when the chart was read a moment earlier or later', () => {
    expect(times(marksWithin(known, { from: 960, to: 1_960 }))).toEqual([900, 1_200, 1_900]);
    expect(times(marksWithin(known, { from: 1_040, to: 2_040 }))).toEqual([900, 1_200, 1_900]);
  });
});

describe('buttons of marks', () => {
  const xOf = (time: number) => time / 10;
  it('are shared by marks that are close', () => {
    const places = placesOf([at(400), at(100), at(150), at(210)], xOf, 100, 'pin');
    expect(places.map(({ x, marks }) => [x, times(marks)])).toEqual([
      [10, [100, 150, 210]],
      [40, [400]],
    ]);
  });
  it('are shared by more marks where a finger presses them', () => {
    const marks = [at(100), at(300)];
    expect(placesOf(marks, xOf, 100, 'pin')).toHaveLength(2);
    expect(placesOf(marks, xOf, 100, 'finger')).toHaveLength(1);
  });
  it('leave out marks beside the chart', () => {
    expect(placesOf([at(-50), at(2_000)], xOf, 100, 'pin')).toEqual([]);
  });
});
