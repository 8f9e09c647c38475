import { describe, expect, it } from 'vitest';
import { histogramOf } from '../testing/notation.ts';
import { add, isEqual, multiply, subtract } from './arithmetic.ts';
import { listedBuckets, upperBound } from './bounds.ts';
import { bucketsOfSpans } from './buckets.ts';
import { isReset } from './reset.ts';
import { HistogramSum } from './sum.ts';
import { trimmed } from './trim.ts';

const of = (text: string) => histogramOf(text).histogram;

describe('buckets of native histograms', () => {
  it('have powers of two as bounds at schema 0, and roots of them above', () => {
    expect([0, 1, 2, 3].map((index) => upperBound(index, 0, undefined))).toEqual([1, 2, 4, 8]);
    expect(upperBound(1, 1, undefined)).toBeCloseTo(Math.SQRT2, 14);
    expect(upperBound(1, -1, undefined)).toBe(4);
  });

  it('end at the largest finite number', () => {
    expect([upperBound(1_024, 0, undefined), upperBound(1_025, 0, undefined)]).toEqual([Number.MAX_VALUE, Infinity]);
  });

  it('are listed from the lowest with what their bounds include', () => {
    const histogram = of('schema:0 count:6 z_bucket:1 z_bucket_w:0.001 buckets:[2] n_buckets:[0 3]');
    expect(listedBuckets(histogram)).toEqual([
      { lower: -2, upper: -1, count: 3, boundaries: 1 },
      { lower: -0.001, upper: 0.001, count: 1, boundaries: 3 },
      { lower: 0.5, upper: 1, count: 2, boundaries: 0 },
    ]);
  });

  it('list the zero bucket with both of its bounds, also where its threshold is 0', () => {
    const histogram = of('schema:0 count:3 z_bucket:1 buckets:[1] n_buckets:[1]');
    expect(listedBuckets(histogram).map(({ boundaries }) => boundaries)).toEqual([1, 3, 0]);
  });
  it('read spans with gaps', () => {
    const { indexes, counts } = bucketsOfSpans(
      [
        { offset: -2, length: 2 },
        { offset: 3, length: 1 },
      ],
      [5, 6, 7],
    );
    expect([[...indexes], [...counts]]).toEqual([
      [-2, -1, 3],
      [5, 6, 7],
    ]);
  });
});

describe('arithmetic of native histograms', () => {
  it('takes the coarser schema', () => {
    const sum = add(of('schema:1 count:3 sum:3 buckets:[0 1 2]'), of('schema:0 count:4 sum:4 buckets:[0 4]'));
    expect(sum?.histogram).toMatchObject({ schema: 0, count: 7, positive: { counts: new Float64Array([7]) } });
  });

  it('widens a zero bucket until no bucket that is not empty is cut', () => {
    const sum = add(of('count:3 z_bucket:1 z_bucket_w:0.7 sum:0'), of('count:2 sum:2 buckets:[2]'));
    expect(sum?.histogram).toMatchObject({ zeroThreshold: 1, zeroCount: 3 });
    expect(sum?.histogram.positive.indexes).toHaveLength(0);
  });

  it('has no sum of exponential and custom buckets', () => {
    expect(add(of('count:1 buckets:[1]'), of('schema:-53 count:1 custom_values:[5] buckets:[1]'))).toBeUndefined();
  });

  it('notices that one counter was reset and the other was not', () => {
    const sum = add(of('count:1 counter_reset_hint:reset'), of('count:1 counter_reset_hint:not_reset'));
    expect([sum?.collision, sum?.histogram.counterReset]).toEqual([true, 'unknown']);
  });

  it('takes away what it added', () => {
    const [a, b] = [of('schema:2 count:9 sum:1 buckets:[4 5]'), of('schema:2 count:3 sum:2 buckets:[0 0 3]')];
    const sum = add(a, b)?.histogram ?? a;
    expect(isEqual(subtract(sum, b)?.histogram ?? b, a)).toBe(true);
  });

  it('becomes a gauge by a negative factor', () => {
    expect(multiply(of('count:1 sum:1 buckets:[1]'), -1)).toMatchObject({ counterReset: 'gauge', count: -1 });
  });

  it('compensates each number of a sum', () => {
    const sum = new HistogramSum(of('count:1e100 sum:1 buckets:[1e100]'), 'sum');
    sum.add(of('count:1 sum:1e100 buckets:[1]'));
    sum.add(of('count:-1e100 sum:-1e100 buckets:[-1e100]'));
    expect(sum.result).toMatchObject({ count: 1, sum: 1, positive: { counts: new Float64Array([1]) } });
  });
});

describe('resets of native histograms', () => {
  const before = of('schema:1 count:6 sum:1 z_bucket:1 z_bucket_w:0.01 buckets:[2 3]');
  it.each([
    ['a higher count in each bucket', 'schema:1 count:8 z_bucket:1 z_bucket_w:0.01 buckets:[3 4]', false],
    ['a lower count', 'schema:1 count:5 z_bucket:1 z_bucket_w:0.01 buckets:[2 2]', true],
    ['a lower bucket with a higher count', 'schema:1 count:9 z_bucket:1 z_bucket_w:0.01 buckets:[1 7]', true],
    ['a missing bucket', 'schema:1 count:9 z_bucket:7 z_bucket_w:0.01 buckets:[2]', true],
    ['coarser buckets', 'schema:0 count:6 z_bucket:1 z_bucket_w:0.01 buckets:[2 3]', false],
    ['finer buckets', 'schema:2 count:60 z_bucket:1 z_bucket_w:0.01 buckets:[20 39]', true],
    ['a narrower zero bucket', 'schema:1 count:8 z_bucket:1 z_bucket_w:0.001 buckets:[3 4]', true],
    ['a wider zero bucket', 'schema:1 count:8 z_bucket:1 z_bucket_w:0.1 buckets:[3 4]', false],
  ])('sees with %s', (_, text, expected) => {
    expect(isReset(of(text), before)).toBe(expected);
  });

  it('believes what the sample says', () => {
    expect(isReset(of('count:1 counter_reset_hint:not_reset'), before)).toBe(false);
    expect(isReset(of('schema:1 count:99 counter_reset_hint:reset'), before)).toBe(true);
  });
});

describe('trimmed histograms', () => {
  it('are the same where nothing is cut', () => {
    const histogram = of('schema:0 count:3 sum:100 buckets:[1 2]');
    expect(trimmed(histogram, 2, 'below')).toBe(histogram);
  });

  it('split a bucket on a logarithmic scale', () => {
    const { count, positive } = trimmed(of('schema:0 count:4 sum:6 offset:1 buckets:[4]'), Math.SQRT2, 'below');
    expect(count).toBeCloseTo(2, 12);
    expect(positive.counts[0]).toBeCloseTo(2, 12);
  });
});
