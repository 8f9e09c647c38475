import type { OfBuckets } from './of-buckets.ts';
import { placeOf, type Span } from './points.ts';
import type { RecentBuckets, RecentFunction, RecentSeries } from './question.ts';

type Rate = Extract<RecentFunction, { readonly kind: 'prometheus' }>;

/** In milliseconds: after a moment, and before the next one that a point may have. */
const HALF_NANOSECOND = 5e-7;

/** Moments at which a rate is evaluated, in milliseconds since the origin of the series. */
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
  // An infinite value before the first range would stay in what resets lost.
  let head = placeOf(times, { begin, end }, firstMs - overMs + HALF_NANOSECOND, begin);
  let [tail, gained, left] = [head, 0, 0];
  // Of the points from `head` to `tail`.
  let [lost, resets] = [0, 0];
  for (let i = 0; i < count; i++) {
    const now = firstMs + i * stepMs;
    // The range includes its end but not its beginning.
    const next = placeOf(times, { begin: tail, end }, now + HALF_NANOSECOND, tail + gained);
    for (let point = Math.max(tail, head + 1); point < next; point++) {
      const before = values[point - 1] ?? 0;
      if (before > (values[point] ?? 0)) {
        lost += before;
        resets++;
      }
    }
    gained = next - tail;
    tail = next;
    const from = placeOf(times, { begin: head, end: tail }, now - overMs + HALF_NANOSECOND, head + left);
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
    if (points === 0) [lost, resets] = [0, 0];
    if (points < 2) continue;

    const [first, last] = [times[head] ?? 0, times[tail - 1] ?? 0];
    const begun = values[head] ?? 0;
    const grown = (values[tail - 1] ?? 0) - begun + lost;
    const covered = nanoseconds(last - first);
    const distance = covered / (points - 1);
    let toStart = within(nanoseconds(first - (now - overMs)), distance);
    if (grown > 0 && begun >= 0) {
      const toZero = covered * (begun / grown);
      if (!(toStart < toZero)) toStart = toZero;
    }
    const factor = (covered + toStart + within(nanoseconds(now - last), distance)) / covered;
    const value = grown * ((factor * 1e9) / nanoseconds(overMs));
    out.values[at + i] = perSecond ? value : value * (overMs / 1000);
    out.has[at + i] = 1;
  }
}

/** As the engine counts: whether a point is near an edge must not depend on how parts of a millisecond are rounded. */
function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}

/** How far growth is extrapolated to an edge of the range: half the distance of points toward one that is farther than usual. */
function within(gap: number, distance: number): number {
  return gap >= distance * 1.1 ? distance / 2 : gap;
}
