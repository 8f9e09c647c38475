import { bucketsOf, type CounterReset, CUSTOM_BUCKETS } from '@fanion/promql';
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
  it('may change between numbers, counters and gauges of histograms, and buckets with and without bounds', () => {
    const histograms = (counterReset: CounterReset, schema: number, ...times: number[]) => {
      const none = bucketsOf([], []);
      const histogram = { schema, counterReset, count: 1, sum: 1, zeroThreshold: 0, zeroCount: 1 };
      return { ...series(...times), histograms: times.map(() => ({ ...histogram, positive: none, negative: none })) };
    };
    const all = [
      series(2, 6),
      histograms('unknown', 0, 1, 5),
      histograms('gauge', 0, 3, 4),
      histograms('unknown', CUSTOM_BUCKETS, 0, 7),
    ];
    const { series: merged, warnings } = mergeSeries(all);
    expect(merged.map(({ times }) => [...times])).toEqual([[0, 1, 2, 3, 4, 5, 6, 7]]);
    expect(merged[0]?.histograms?.map((one) => one?.counterReset)).toEqual([
      ...['unknown', 'unknown', undefined, 'gauge', 'gauge', 'unknown', undefined, 'unknown'],
    ]);
    expect(warnings).toEqual([]);
    expect(mergeSeries([...all, histograms('gauge', 0, 4)]).warnings).toHaveLength(1);
  });
  it.each([
    ['samples of one beside those of another', [series(1, 3), series(2)]],
    ['a sample of the same time, of which one is left out', [series(1, 2), series(2, 3)]],
  ])('are warned of: %s', (_name, all) => {
    expect(mergeSeries(all).warnings).toEqual([expect.stringContaining('several series of up have equal labels')]);
  });
});
