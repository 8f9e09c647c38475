import { expect, it } from 'vitest';
import { splitRuns } from './partial.ts';

const at =
  (...indexes: number[]) =>
  (index: number) =>
    indexes.includes(index);

it('keeps every segment of a line that ends in a partial bucket', () => {
  expect(splitRuns([0, 5], at(5), true)).toEqual({ whole: [0, 4], partial: [[4, 5]] });
  expect(splitRuns([0, 5], at(0, 5), true)).toEqual({
    whole: [1, 4],
    partial: [
      [0, 1],
      [4, 5],
    ],
  });
});

it('draws every bar once', () => {
  expect(splitRuns([0, 5], at(0, 5), false)).toEqual({
    whole: [1, 4],
    partial: [
      [0, 0],
      [5, 5],
    ],
  });
});

it('has no whole part when every bucket is partial', () => {
  expect(splitRuns([0, 1], at(0, 1), true)).toEqual({ whole: undefined, partial: [[0, 1]] });
});

it('has no partial part when every bucket is whole', () => {
  expect(splitRuns([0, 5], at(), true)).toEqual({ whole: [0, 5], partial: [] });
});
