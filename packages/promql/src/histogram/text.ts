import { shortText } from '../numbers.ts';
import { type Bucket, negativeBuckets, positiveBuckets, usesCustomBuckets } from './bounds.ts';
import type { NativeHistogram } from './native-histogram.ts';

/** Prometheus' text of a histogram: `{count:3, sum:6, (1,2]:1, (2,4]:2}`. */
export function histogramText(histogram: NativeHistogram): string {
  const { count, sum, zeroCount, zeroThreshold } = histogram;
  const write = (bucket: Bucket, [open, close]: string) =>
    `${open}${shortText(bucket.lower)},${shortText(bucket.upper)}${close}:${shortText(bucket.count)}`;
  const zero = { lower: -zeroThreshold, upper: zeroThreshold, count: zeroCount };
  const positive = usesCustomBuckets(histogram)
    ? positiveBuckets(histogram).map((bucket) => write(bucket, bucket.lower === -Infinity ? '[]' : '(]'))
    : positiveBuckets(histogram).map((bucket) => write(bucket, '(]'));
  const parts = [
    `count:${shortText(count)}`,
    `sum:${shortText(sum)}`,
    ...negativeBuckets(histogram)
      .filter((bucket) => bucket.count !== 0)
      .reverse()
      .map((bucket) => write(bucket, '[)')),
    ...(zeroCount === 0 ? [] : [write(zero, '[]')]),
    ...positive.filter((_, i) => histogram.positive.counts[i] !== 0),
  ];
  return `{${parts.join(', ')}}`;
}
