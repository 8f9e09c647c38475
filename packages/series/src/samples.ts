/**
 * The samples of one series: times in milliseconds since an origin, with their parts, strictly rising. Markers that the series has ended are no
 * samples. The arrays may be longer than `count`.
 */
export interface Samples {
  readonly count: number;
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** Samples that know since when they count, as OTLP's `start_time_unix_nano` says; {@link UNKNOWN_START} where it says nothing. */
export interface Counter extends Samples {
  readonly starts: Float64Array;
}

/** Earlier than any other start. */
export const UNKNOWN_START = Number.NEGATIVE_INFINITY;

/** Moments at which something is evaluated, in milliseconds since the origin of the samples. */
export interface Steps {
  readonly firstMs: number;
  readonly stepMs: number;
  readonly count: number;
}

/** One number per step. It is filled for one series after another, so that none makes its own. */
export interface Column {
  readonly values: Float64Array;
  /** 1 where there is a number. */
  readonly has: Uint8Array;
}

export function columnOf(count: number): Column {
  return { values: new Float64Array(count), has: new Uint8Array(count) };
}

export function clear({ values, has }: Column): void {
  values.fill(0);
  has.fill(0);
}

/** Samples by their places in the columns: from `begin` up to `end`, exclusive. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/** The samples from a time up to another one, exclusive. */
export function spanOf({ times, count }: Pick<Samples, 'times' | 'count'>, fromMs: number, toMs: number): Span {
  return { begin: firstFrom(times, count, fromMs), end: firstFrom(times, count, toMs) };
}

function firstFrom(times: Float64Array, count: number, ms: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The place of the first sample at or after a time, among those of a span. Samples mostly come at equal distances, so a caller that
 * goes from step to step guesses it by how many there were in the step before.
 */
export function placeOf(times: Float64Array, { begin, end }: Span, ms: number, guess: number): number {
  let at = Math.min(Math.max(guess, begin), end);
  while (at < end && (times[at] ?? 0) < ms) at++;
  while (at > begin && (times[at - 1] ?? 0) >= ms) at--;
  return at;
}
