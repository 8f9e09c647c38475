import { describe, expect, it } from 'vitest';
import { type Compared, comparedSeries } from './compare-metric-rules.ts';

const steps = { firstNs: 0n, widthNs: 10_000_000_000n, count: 3 };
const compared = (isSelected: boolean, distinct: number, texts: readonly string[]): Compared => ({
  ...{ isSelected, scope: 'span', name: 'route', distinct },
  total: { places: [0, 2], counts: [5, 1] },
  values: texts.map((value) => ({ type: 's', value, places: [2], counts: [1] })),
});
const sides = [compared(false, 2, ['/a', '/b']), compared(true, 3, ['/a', '/b'])];

describe('the series of compare()', () => {
  it('are counted before there is memory for the steps of all', () => {
    const numbers: number[] = [];
    const series = comparedSeries(sides, 2, steps, (number) => numbers.push(number));
    expect(numbers).toEqual([series.length]);
    const refuse = () => {
      throw new Error('too many series');
    };
    expect(() => comparedSeries(sides, 2, { ...steps, count: Number.MAX_SAFE_INTEGER }, refuse)).toThrow('too many');
  });

  it('have 0 where a step has no spans, and no values for an attribute with more values', () => {
    const series = comparedSeries(sides, 2, steps, () => {});
    const written = series.map(({ labels, values }) => [
      ...labels.map(({ value }) => ('stringValue' in value ? value.stringValue : value)),
      [...values],
    ]);
    expect(written).toEqual(
      expect.arrayContaining([
        ['baseline_total', 'nil', [5, 0, 1]],
        ['baseline', '/a', [0, 0, 1]],
        ['selection', '/b', [0, 0, 1]],
        ['__too_many_values__', 'nil', [Number.NaN, Number.NaN, Number.NaN]],
      ]),
    );
    expect(written).toHaveLength(7);
  });
});
