import { expect, it } from 'vitest';
import { bandStart, bandsOf, bandTicks, boxOf, boxText, clockTicks, parseBox } from './heat-map.ts';

it('uses eight bands per factor of ten', () => {
  expect(bandStart(0)).toBe(1000);
  expect(bandStart(24)).toBeCloseTo(1e6);
});

it('draws the bands that have spans, plus one on either side', () => {
  const cell = { time: 0, count: 1, errors: 0 };
  expect(
    bandsOf([
      { ...cell, band: 10 },
      { ...cell, band: 14 },
    ]),
  ).toEqual({ low: 9, high: 16 });
  expect(bandsOf([])).toEqual({ low: 0, high: 8 });
});

it('selects the whole bands and buckets that a rectangle touches', () => {
  const box = boxOf({ left: 0.25, right: 0.5, top: 0, bottom: 0.5 }, { from: 0, to: 1000 }, { low: 0, high: 16 }, 100);
  expect(box).toEqual({ from: 200, to: 500, min: Math.round(bandStart(8)), max: Math.round(bandStart(16)) });
});

it('round-trips a box through the URL and ignores a malformed one', () => {
  const box = { from: 1, to: 2, min: 3, max: 4 };
  expect(parseBox(boxText(box))).toEqual(box);
  for (const text of [undefined, '', '1~2~3', '1~2~4~3', 'a~b~c~d']) expect(parseBox(text)).toBeNull();
});

it('labels only round durations', () => {
  expect(bandTicks({ low: 0, high: 24 }).map(({ ns }) => ns)).toEqual([1e3, 1e4, 1e5, 1e6]);
  expect(bandTicks({ low: 20, high: 36 }).map(({ ns }) => ns)).toEqual([1e6, 3e6, 1e7, 3e7]);
});

it('labels only round times, as many as fit', () => {
  const from = new Date(2026, 2, 1, 23, 4, 30).getTime();
  const { step, times } = clockTicks({ from, to: from + 3_600_000 }, 7);
  expect(step).toBe(600_000);
  expect(times.map((time) => new Date(time).getMinutes())).toEqual([10, 20, 30, 40, 50, 0]);
  expect(clockTicks({ from, to: from + 90 * 86_400_000 }, 6).times.length).toBeLessThanOrEqual(7);
});
