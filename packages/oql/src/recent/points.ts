/** Points of a series, by their places in its arrays: from `begin` up to `end`, exclusive. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/** The points of a series from a time up to another one, exclusive. */
export function spanOf(times: Float64Array, count: number, fromMs: number, toMs: number): Span {
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
 * The place of the first point at or after a time, among those from `begin` up to `end`. Points mostly come at equal distances, so
 * a caller that goes from bucket to bucket guesses it by how many there were in the one before.
 */
export function placeOf(times: Float64Array, { begin, end }: Span, ms: number, guess: number): number {
  let at = Math.min(Math.max(guess, begin), end);
  while (at < end && (times[at] ?? 0) < ms) at++;
  while (at > begin && (times[at - 1] ?? 0) >= ms) at--;
  return at;
}
