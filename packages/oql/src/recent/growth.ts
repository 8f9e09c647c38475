import type { OfBuckets, Span } from './of-buckets.ts';
import type { RecentBuckets, RecentFunction, RecentSeries } from './question.ts';

type Growth = Extract<RecentFunction, { readonly kind: 'growth' }>;

/**
 * How much a series grew in the time up to the end of each bucket: the rule of `metrics/growth.ts`. A point counts from the one before
 * it; if that is larger or has an earlier start, all of its value is new. The first point is new if the series began in the range.
 */
export function growth(
  { times, values, starts }: RecentSeries,
  { begin, end }: Span,
  { fn, overMs, fromMs }: Growth,
  { firstMs, stepMs, count }: RecentBuckets,
  out: OfBuckets,
): void {
  for (let i = begin; i < end; i++) {
    const time = times[i] ?? 0;
    if (time < fromMs) continue;
    const value = values[i] ?? 0;
    const difference = i === begin ? 0 : value - (values[i - 1] ?? 0);
    let grown = difference;
    if (fn !== 'delta') {
      const start = starts[i] ?? 0;
      if (i === begin) grown = value * (start >= fromMs ? 1 : 0);
      else if (difference < 0 || start > (starts[i - 1] ?? 0)) grown = value;
    }
    // All buckets of which the end is at most `overMs` after the point.
    const [from, to] =
      stepMs === null
        ? [0, 0]
        : [Math.floor((time - firstMs) / stepMs), Math.floor((time + overMs - firstMs) / stepMs) - 1];
    for (let bucket = Math.max(from, 0); bucket <= to && bucket < count; bucket++) {
      out.values[bucket] = (out.values[bucket] ?? 0) + grown;
      out.has[bucket] = 1;
    }
  }
  if (fn !== 'rate') return;
  for (let bucket = 0; bucket < count; bucket++) out.values[bucket] = (out.values[bucket] ?? 0) / (overMs / 1000);
}
