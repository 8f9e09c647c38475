import { type Column, placeOf, type Samples, type Span, type Steps } from './samples.ts';

/** Prometheus' `rate` if `perSecond`, otherwise its `increase`, over the samples of `(step - overMs, step]`. */
export interface Rate {
  readonly overMs: number;
  readonly perSecond: boolean;
}

/** In milliseconds: after a moment, and before the next one that a sample may have. */
const HALF_NANOSECOND = 5e-7;

/**
 * Prometheus' `rate` or `increase` of a counter at each step. Steps with fewer than two samples have none.
 *
 * The rule is `extrapolatedRate` in Prometheus' `promql/functions.go`: a sample below the one before is a reset, and what was counted before it is
 * kept; the growth is extrapolated to an edge of the range that is nearer than 1.1 times the average distance of samples, and by half that
 * distance toward a farther edge, but never back beyond where the counter was 0. The order of the operations is that of ClickHouse's
 * `timeSeriesRateToGrid`, which decides what is rounded: what resets lost is added as samples enter the range and subtracted as they leave it.
 */
export function prometheusRate(
  { times, values }: Samples,
  { begin, end }: Span,
  { overMs, perSecond }: Rate,
  { firstMs, stepMs, count }: Steps,
  out: Column,
): void {
  // An infinite value before the first range would stay in what resets lost.
  let head = placeOf(times, { begin, end }, firstMs - overMs + HALF_NANOSECOND, begin);
  let [tail, gained, left] = [head, 0, 0];
  // Of the samples from `head` to `tail`.
  let [lost, resets] = [0, 0];
  for (let i = 0; i < count; i++) {
    const now = firstMs + i * stepMs;
    // The range includes its end but not its beginning.
    const next = placeOf(times, { begin: tail, end }, now + HALF_NANOSECOND, tail + gained);
    for (let at = Math.max(tail, head + 1); at < next; at++) {
      const before = values[at - 1] ?? 0;
      if (before > (values[at] ?? 0)) {
        lost += before;
        resets++;
      }
    }
    gained = next - tail;
    tail = next;
    const from = placeOf(times, { begin: head, end: tail }, now - overMs + HALF_NANOSECOND, head + left);
    for (let at = head; resets > 0 && at < from && at + 1 < tail; at++) {
      const gone = values[at] ?? 0;
      if ((values[at + 1] ?? 0) < gone) {
        lost -= gone;
        resets--;
      }
    }
    left = from - head;
    head = from;
    const samples = tail - head;
    if (samples === 0) [lost, resets] = [0, 0];
    if (samples < 2) continue;

    const [first, last] = [times[head] ?? 0, times[tail - 1] ?? 0];
    const begun = values[head] ?? 0;
    const grown = (values[tail - 1] ?? 0) - begun + lost;
    const covered = nanoseconds(last - first);
    const distance = covered / (samples - 1);
    let toStart = within(nanoseconds(first - (now - overMs)), distance);
    if (grown > 0 && begun >= 0) {
      const toZero = covered * (begun / grown);
      if (!(toStart < toZero)) toStart = toZero;
    }
    const factor = (covered + toStart + within(nanoseconds(now - last), distance)) / covered;
    const value = grown * ((factor * 1e9) / nanoseconds(overMs));
    out.values[i] = perSecond ? value : value * (overMs / 1000);
    out.has[i] = 1;
  }
}

/** Whether a sample is near an edge must not depend on how parts of a millisecond are rounded. */
function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}

/** How far growth is extrapolated to an edge of the range. */
function within(gap: number, distance: number): number {
  return gap >= distance * 1.1 ? distance / 2 : gap;
}
