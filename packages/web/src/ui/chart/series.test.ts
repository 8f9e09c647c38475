import { describe, expect, it } from 'vitest';
import { alignSeries, hoverEntries, isolatedPoints, stackSeries, summarize } from './series.ts';

const minute = 60_000;

describe('alignSeries', () => {
  it('gives every series the same times, with null where one has no point', () => {
    const { times, series } = alignSeries([
      { time: 0, label: 'a', value: 1 },
      { time: minute, label: 'a', value: 2 },
      { time: minute, label: 'b', value: 5 },
    ]);
    expect(times).toEqual([0, minute]);
    expect(series).toEqual([
      { label: 'a', values: [1, 2] },
      { label: 'b', values: [null, 5] },
    ]);
  });

  it('shows missing buckets as gaps', () => {
    const { times, series } = alignSeries([
      { time: 0, label: 'a', value: 1 },
      { time: minute, label: 'a', value: 1 },
      { time: 4 * minute, label: 'a', value: 1 },
    ]);
    expect(times).toEqual([0, minute, 2 * minute, 3 * minute, 4 * minute]);
    expect(series[0]?.values).toEqual([1, 1, null, null, 1]);
  });

  it('prefers a given bucket width to the smallest distance', () => {
    const { times } = alignSeries(
      [
        { time: 0, label: 'a', value: 1 },
        { time: 2 * minute, label: 'a', value: 1 },
      ],
      minute,
    );
    expect(times).toEqual([0, minute, 2 * minute]);
  });

  it('handles no points, one point, and a range with too many buckets', () => {
    expect(alignSeries([])).toEqual({ times: [], series: [] });
    expect(alignSeries([{ time: 5, label: 'a', value: 1 }]).times).toEqual([5]);
    expect(
      alignSeries([
        { time: 0, label: 'a', value: 1 },
        { time: 1, label: 'a', value: 1 },
        { time: 1e9, label: 'a', value: 1 },
      ]).times,
    ).toHaveLength(3);
  });
});

it('lists the largest values first in a tooltip and omits gaps', () => {
  const series = [
    { label: 'a', colour: '#1', values: [1] },
    { label: 'b', colour: '#2', values: [null] },
    { label: 'c', colour: '#3', values: [3] },
  ];
  expect(hoverEntries(series, 0).map((entry) => entry.label)).toEqual(['c', 'a']);
});

it('finds points without neighbors', () => {
  expect(isolatedPoints([1, null, 2, 3, null, 4])).toEqual([0, 5]);
  expect(isolatedPoints([])).toEqual([]);
});

it('summarizes a series without its gaps', () => {
  expect(summarize([1, null, 3, null])).toEqual({ last: 3, max: 3, mean: 2, sum: 4 });
  expect(summarize([null])).toEqual({ last: null, max: null, mean: null, sum: null });
});

it('stacks series on top of each other', () => {
  const stacked = stackSeries([
    { label: 'a', colour: '', values: [1, null, null] },
    { label: 'b', colour: '', values: [2, 3, null] },
  ]);
  expect(stacked.map((series) => series.values)).toEqual([
    [1, 0, null],
    [3, 3, null],
  ]);
  expect(stackSeries([])).toEqual([]);
});
