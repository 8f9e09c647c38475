import type { OfBuckets } from './of-buckets.ts';
import { placeOf, type Span } from './points.ts';
import type { RecentBuckets, RecentFunction, RecentSeries } from './question.ts';

type Rate = Extract<RecentFunction, { readonly kind: 'prometheus' }>;

/** Moments at which a rate is evaluated, in milliseconds since the epoch. */
interface Ends {
  readonly firstMs: number;
  readonly stepMs: number;
  readonly count: number;
}

/** Prometheus' `rate` or `increase` at the end of each bucket; for the last one, at the end of the window if that is earlier. */
export function prometheusRates(
  series: RecentSeries,
  span: Span,
  rate: Rate,
  { firstMs, stepMs, count, toMs }: RecentBuckets,
  out: OfBuckets,
): void {
  const step = stepMs ?? toMs - firstMs;
  const whole = Math.floor((toMs - firstMs) / step);
  ratesAt(series, span, rate, { firstMs: firstMs + step, stepMs: step, count: whole }, out, 0);
  if (whole < count) ratesAt(series, span, rate, { firstMs: toMs, stepMs: step, count: 1 }, out, whole);
}

/**
 * The rule is `extrapolatedRate` in Prometheus' `promql/functions.go`. The steps are those of the engine's `timeSeriesRateToGrid`, also
 * where they decide what is rounded: what resets lost is added as points enter the time range and subtracted as they leave it.
 * @param at the bucket of the first moment
 */
function ratesAt(
  { times, values }: RecentSeries,
  { begin, end }: Span,
  { overMs, perSecond }: Rate,
  { firstMs, stepMs, count }: Ends,
  out: OfBuckets,
  at: number,
): void {
  let [head, tail, gained, left] = [begin, begin, 0, 0];
  // Of the points from `head` to `tail`.
  let [lost, resets] = [0, 0];
  for (let i = 0; i < count; i++) {
    const now = firstMs + i * stepMs;
    // Times are whole milliseconds, and the range includes its end but not its beginning.
    const next = placeOf(times, { begin: tail, end }, now + 1, tail + gained);
    for (let point = Math.max(tail, head + 1); point < next; point++) {
      const before = values[point - 1] ?? 0;
      if (before > (values[point] ?? 0)) {
        lost += before;
        resets++;
      }
    }
    gained = next - tail;
    tail = next;
    const from = placeOf(times, { begin: head, end: tail }, now - overMs + 1, head + left);
    for (let point = head; resets > 0 && point < from && point + 1 < tail; point++) {
      const gone = values[point] ?? 0;
      if ((values[point + 1] ?? 0) < gone) {
        lost -= gone;
        resets--;
      }
    }
    left = from - head;
    head = from;
    const points = tail - head;
    if (points < 2) continue;

    const [first, last] = [times[head] ?? 0, times[tail - 1] ?? 0];
    const begun = values[head] ?? 0;
    const grown = (values[tail - 1] ?? 0) - begun + lost;
    const covered = last - first;
    const distance = covered / (points - 1);
    let toStart = within(first - (now - overMs), distance);
    if (grown > 0 && begun >= 0) {
      const toZero = covered * (begun / grown);
      if (!(toStart < toZero)) toStart = toZero;
    }
    const factor = (covered + toStart + within(now - last, distance)) / covered;
    const value = grown * ((factor * 1000) / overMs);
    out.values[at + i] = perSecond ? value : value * (overMs / 1000);
    out.has[at + i] = 1;
  }
}

/** How far growth is extrapolated to an edge of the range: half the distance of points toward one that is farther than usual. */
function within(gap: number, distance: number): number {
  return gap >= distance * 1.1 ? distance / 2 : gap;
}
