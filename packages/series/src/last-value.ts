import { type Column, placeOf, type Samples, type Steps } from './samples.ts';

/** In milliseconds: after a moment, and before the next one that a sample may have. */
const HALF_NANOSECOND = 5e-7;

/**
 * The value of an instant vector at each step: that of the last sample of `(step - lookbackMs, step]`. A series that has ended since has none. The
 * rule is `vectorSelectorSingle` in Prometheus' `promql/engine.go`, with the half-open range of Prometheus 3.
 *
 * @param ended 1 where a sample is a marker that the series has ended (Prometheus' staleness NaN, OTLP's `NO_RECORDED_VALUE`). A column of its own: the bits
 *   by which Prometheus tells this NaN from others need not survive in a number of JavaScript
 */
export function lastValue(
  { times, values, count }: Samples,
  ended: Uint8Array,
  lookbackMs: number,
  steps: Steps,
  out: Column,
): void {
  let [next, gained] = [0, 0];
  for (let i = 0; i < steps.count; i++) {
    const now = steps.firstMs + i * steps.stepMs;
    const after = placeOf(times, { begin: next, end: count }, now + HALF_NANOSECOND, next + gained);
    gained = after - next;
    next = after;
    const last = next - 1;
    if (last < 0 || ended[last] === 1 || (times[last] ?? 0) < now - lookbackMs + HALF_NANOSECOND) continue;
    out.values[i] = values[last] ?? 0;
    out.has[i] = 1;
  }
}
