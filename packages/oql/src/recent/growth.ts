import type { OfBuckets } from './of-buckets.ts';
import { placeOf, type Span } from './points.ts';
import type { RecentBuckets, RecentFunction, RecentSeries } from './question.ts';

type Growth = Extract<RecentFunction, { readonly kind: 'growth' }>;

/**
 * How much a series grew in the time up to the end of each bucket: the rule of `metrics/growth.ts`, in the cells of `metrics/cells.ts`. False if
 * the point before the range is not among those that are kept: the engine looks for it in more of the past.
 */
export function growth(
  series: RecentSeries,
  span: Span,
  { fn, overMs, fromMs, cutMs }: Growth,
  { firstMs, stepMs, count }: RecentBuckets,
  out: OfBuckets,
): boolean {
  const { times } = series;
  const { begin, end } = span;
  if ((times[begin] ?? 0) >= fromMs && (series.starts[begin] ?? 0) < fromMs) return false;
  // All points of a cell count in the same buckets.
  const cellMs = stepMs === null ? Number.POSITIVE_INFINITY : commonDivisor(stepMs, overMs);
  const whole = cutMs === undefined ? count : count - 1;
  let at = placeOf(times, span, fromMs, span.begin);
  let points = 0;
  while (at < end) {
    const time = times[at] ?? 0;
    const cellEnd = firstMs + (Math.floor((time - firstMs) / cellMs) + 1) * cellMs;
    const isCut = cutMs !== undefined && time >= cutMs;
    const until = cutMs === undefined || isCut ? cellEnd : Math.min(cellEnd, cutMs);
    const next = stepMs === null ? end : placeOf(times, { begin: at + 1, end }, until, at + points);
    const grown = fn === 'delta' ? change(series, span, at, next) : increase(series, span, at, next, fromMs);
    const from = stepMs === null ? 0 : Math.floor((time - firstMs) / stepMs);
    // The last bucket whose end is at most `overMs` after the point.
    const last = stepMs === null ? 0 : Math.floor((time + overMs - firstMs) / stepMs) - 1;
    for (let bucket = Math.max(from, 0); bucket <= last && bucket < whole; bucket++) add(out, bucket, grown);
    if (isCut) add(out, whole, grown);
    points = next - at;
    at = next;
  }
  for (let bucket = 0; fn === 'rate' && bucket < count; bucket++)
    out.values[bucket] = (out.values[bucket] ?? 0) / (overMs / 1000);
  return true;
}

function add(out: OfBuckets, bucket: number, grown: number): void {
  out.values[bucket] = (out.values[bucket] ?? 0) + grown;
  out.has[bucket] = 1;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/**
 * What the points from `at` to `next` add. A point counts from the one before it; if that is larger or has an earlier start, all of its
 * value is new. The first point that is read is new if the series began in the range.
 */
function increase({ values, starts }: RecentSeries, { begin }: Span, at: number, next: number, fromMs: number): number {
  let sum = 0;
  let point = at;
  if (point === begin) {
    sum = (values[point] ?? 0) * ((starts[point] ?? 0) >= fromMs ? 1 : 0);
    point++;
  }
  let [before, started] = [values[point - 1] ?? 0, starts[point - 1] ?? 0];
  for (; point < next; point++) {
    const [value, start] = [values[point] ?? 0, starts[point] ?? 0];
    const difference = value - before;
    sum += difference < 0 || start > started ? value : difference;
    before = value;
    started = start;
  }
  return sum;
}

/** The differences between the points from `at` to `next` and those before them. */
function change({ values }: RecentSeries, { begin }: Span, at: number, next: number): number {
  let sum = 0;
  for (let point = Math.max(at, begin + 1); point < next; point++)
    sum += (values[point] ?? 0) - (values[point - 1] ?? 0);
  return sum;
}
