import { type Column, type Counter, placeOf, type Samples, type Span, type Steps } from './samples.ts';

/** OQL's `rate` (per second), `increase` or `delta` over the samples of `[end - overMs, end)` of each bucket. */
export interface Growth {
  readonly fn: 'rate' | 'increase' | 'delta';
  readonly overMs: number;
  /** Samples before it are only compared with. */
  readonly fromMs: number;
  /** Where the last bucket is evaluated before its end: it counts what is not earlier than this. */
  readonly cutMs?: number;
}

/** Buckets by their beginnings; `firstMs` is the beginning of the first one. */
export type GrowthSteps = Steps;

/**
 * How much a counter grew in the time up to the end of each bucket, in OQL's rule (docs/oql.md; as SQL: `packages/oql/src/metrics/growth.ts`), which
 * differs from Prometheus' in that nothing is extrapolated, so that neighboring buckets add up to their whole:
 *
 * - a sample counts from the one before it, also if that is before the range;
 * - if that is larger or has an earlier start, the counter was reset, and all of the value is new;
 * - a series that began in the range counts from 0; another one without an earlier sample adds nothing with its first sample;
 * - `delta` is the plain difference, which may be negative.
 *
 * @param span all samples to read, with the one before the range
 */
export function growth(
  samples: Counter,
  span: Span,
  { fn, overMs, fromMs, cutMs }: Growth,
  { firstMs, stepMs, count }: GrowthSteps,
  out: Column,
): void {
  const { times } = samples;
  const { end } = span;
  // All samples of a cell count in the same buckets, and are added up once.
  const cellMs = commonDivisor(stepMs, overMs);
  const whole = cutMs === undefined ? count : count - 1;
  let at = placeOf(times, span, fromMs, span.begin);
  let inCell = 0;
  while (at < end) {
    const time = times[at] ?? 0;
    const cellEnd = firstMs + (Math.floor((time - firstMs) / cellMs) + 1) * cellMs;
    const isCut = cutMs !== undefined && time >= cutMs;
    const until = cutMs === undefined || isCut ? cellEnd : Math.min(cellEnd, cutMs);
    const next = placeOf(times, { begin: at + 1, end }, until, at + inCell);
    const grown = fn === 'delta' ? change(samples, span, at, next) : increase(samples, span, at, next, fromMs);
    // The last bucket whose end is at most `overMs` after the sample.
    const last = Math.floor((time + overMs - firstMs) / stepMs) - 1;
    for (let bucket = Math.max(Math.floor((time - firstMs) / stepMs), 0); bucket <= last && bucket < whole; bucket++)
      add(out, bucket, grown);
    if (isCut) add(out, whole, grown);
    inCell = next - at;
    at = next;
  }
  if (fn !== 'rate') return;
  for (let bucket = 0; bucket < count; bucket++) out.values[bucket] = (out.values[bucket] ?? 0) / (overMs / 1000);
}

function add(out: Column, bucket: number, grown: number): void {
  out.values[bucket] = (out.values[bucket] ?? 0) + grown;
  out.has[bucket] = 1;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** What the samples from `at` to `next` add to a counter. */
function increase({ values, starts }: Counter, { begin }: Span, at: number, next: number, fromMs: number): number {
  let sum = 0;
  let sample = at;
  if (sample === begin) {
    sum = (values[sample] ?? 0) * ((starts[sample] ?? 0) >= fromMs ? 1 : 0);
    sample++;
  }
  let [before, started] = [values[sample - 1] ?? 0, starts[sample - 1] ?? 0];
  for (; sample < next; sample++) {
    const [value, start] = [values[sample] ?? 0, starts[sample] ?? 0];
    const difference = value - before;
    sum += difference < 0 || start > started ? value : difference;
    before = value;
    started = start;
  }
  return sum;
}

/** The differences between the samples from `at` to `next` and those before them. */
function change({ values }: Samples, { begin }: Span, at: number, next: number): number {
  let sum = 0;
  for (let sample = Math.max(at, begin + 1); sample < next; sample++)
    sum += (values[sample] ?? 0) - (values[sample - 1] ?? 0);
  return sum;
}
