import { describe, expect, it } from 'vitest';
import { mergeSeries } from './merge-rules.ts';

const labels = new Map([['__name__', 'up']]);
const series = (...times: number[]) => ({
  labels,
  times: Float64Array.from(times),
  values: Float64Array.from(times, (time) => time * 10),
});

describe('series with equal labels', () => {
  it('become one in the order of their times', () => {
    const { series: merged, warnings } = mergeSeries([series(3, 4), series(1, 2)]);
    expect(merged.map(({ times, values }) => [[...times], [...values]])).toEqual([
      [
        [1, 2, 3, 4],
        [10, 20, 30, 40],
      ],
    ]);
    expect(warnings).toEqual([]);
  });
  it.each([
    ['samples of one beside those of another', [series(1, 3), series(2)]],
    ['a sample of the same time, of which one is left out', [series(1, 2), series(2, 3)]],
  ])('are warned of: %s', (_name, all) => {
    expect(mergeSeries(all).warnings).toEqual([expect.stringContaining('several series of up have equal labels')]);
  });
});
