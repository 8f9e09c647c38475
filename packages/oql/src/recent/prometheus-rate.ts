import type { OfBuckets, Span } from './of-buckets.ts';
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
  let head = begin;
  let tail = begin;
  let lost = 0;
  for (let i = 0; i < count; i++) {
    const now = firstMs + i * stepMs;
    for (; tail < end && (times[tail] ?? 0) <= now; tail++) {
      const before = values[tail - 1] ?? 0;
      if (tail > head && before > (values[tail] ?? 0)) lost += before;
    }
    while (head < tail && (times[head] ?? 0) + overMs <= now) {
      const left = values[head++] ?? 0;
      if (head < tail && (values[head] ?? 0) < left) lost -= left;
    }
    const points = tail - head;
    if (points < 2) continue;
    const [first, last] = [times[head] ?? 0, times[tail - 1] ?? 0];
    const begun = values[head] ?? 0;
    const grown = (values[tail - 1] ?? 0) - begun + lost;
    const covered = last - first;
    const distance = covered / (points - 1);
    const within = (gap: number) => (gap >= distance * 1.1 ? distance / 2 : gap);
    let toStart = within(first - (now - overMs));
    if (grown > 0 && begun >= 0) {
      const toZero = covered * (begun / grown);
      if (!(toStart < toZero)) toStart = toZero;
    }
    const factor = (covered + toStart + within(now - last)) / covered;
    const value = grown * ((factor * 1000) / overMs);
    out.values[at + i] = perSecond ? value : value * (overMs / 1000);
    out.has[at + i] = 1;
  }
}
