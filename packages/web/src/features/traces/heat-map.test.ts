import { expect, it } from 'vitest';
import { bandStart, bandsOf, bandTicks, boxOf, boxText, clockTicks, parseBox } from './heat-map.ts';

it('bands grow by a tenth of a power: eight of them are a factor of ten', () => {
  expect(bandStart(0)).toBe(1000);
  expect(bandStart(24)).toBeCloseTo(1e6);
});

it('draws the bands that have spans, with air', () => {
  const cell = { time: 0, count: 1, errors: 0 };
  expect(
    bandsOf([
      { ...cell, band: 10 },
      { ...cell, band: 14 },
    ]),
  ).toEqual({ low: 9, high: 16 });
  expect(bandsOf([])).toEqual({ low: 0, high: 8 });
});

it('a rectangle takes the whole bands and buckets that it touches', () => {
  const box = boxOf({ left: 0.25, right: 0.5, top: 0, bottom: 0.5 }, { from: 0, to: 1000 }, { low: 0, high: 16 }, 100);
  expect(box).toEqual({ from: 200, to: 500, min: Math.round(bandStart(8)), max: Math.round(bandStart(16)) });
});

it('a box comes back from an address as it was, and what is none is none', () => {
  const box = { from: 1, to: 2, min: 3, max: 4 };
  expect(parseBox(boxText(box))).toEqual(box);
  for (const text of [undefined, '', '1~2~3', '1~2~4~3', 'a~b~c~d']) expect(parseBox(text)).toBeNull();
});

it('labels round durations only', () => {
  expect(bandTicks({ low: 0, high: 24 }).map(({ ns }) => ns)).toEqual([1e3, 1e4, 1e5, 1e6]);
  expect(bandTicks({ low: 20, high: 36 }).map(({ ns }) => ns)).toEqual([1e6, 3e6, 1e7, 3e7]);
});

it('labels round times only, and no more than there is room for', () => {
  const from = new Date(2026, 2, 1, 23, 4, 30).getTime();
  const { step, times } = clockTicks({ from, to: from + 3_600_000 }, 7);
  expect(step).toBe(600_000);
  expect(times.map((time) => new Date(time).getMinutes())).toEqual([10, 20, 30, 40, 50, 0]);
  expect(clockTicks({ from, to: from + 90 * 86_400_000 }, 6).times.length).toBeLessThanOrEqual(7);
});
