import type { NativeHistogram } from './histogram/native-histogram.ts';
import type { LabelMatcher, Labels } from './labels.ts';

export interface SampleSeries {
  readonly labels: Labels;
  /** Milliseconds since 1970, strictly rising. */
  readonly times: Float64Array;
  /** A staleness marker is the NaN with the bits {@link STALE_BITS}. */
  readonly values: Float64Array;
  /** Of the same length; undefined where the sample is a float. The value of a histogram sample is only read as a staleness marker. */
  readonly histograms?: readonly (NativeHistogram | undefined)[];
}

export interface SelectRequest {
  readonly matchers: readonly LabelMatcher[];
  /** Milliseconds, exclusive. */
  readonly start: number;
  /** Milliseconds, inclusive. */
  readonly end: number;
  /** Of a range selector, in milliseconds: a source that makes samples makes several in each. */
  readonly range?: number | undefined;
}

export interface SampleSource {
  select(
    request: SelectRequest,
    signal: AbortSignal,
  ): Promise<{ readonly series: readonly SampleSeries[]; readonly warnings: readonly string[] }>;
}

/** Prometheus' `StaleNaN` (`model/value/value.go`): the series has ended. */
export const STALE_BITS = 0x7ff0000000000002n;

/** Writes a staleness marker. It cannot be kept in a variable: there, JavaScript may change the bits of a NaN. */
export function setStale(values: Float64Array, index: number): void {
  new BigUint64Array(values.buffer, values.byteOffset, values.length)[index] = STALE_BITS;
}

/** The halves of the numbers, by which staleness markers differ from other NaNs: low at `2 * i`, high at `2 * i + 1`. */
export function bitsOf(values: Float64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
}

/** Also where a processor made the marker a quiet NaN, which it does to numbers that it calculates with. */
export function isStale(bits: Uint32Array, index: number): boolean {
  return bits[2 * index] === 2 && ((bits[2 * index + 1] ?? 0) | 0x80000) === 0x7ff80000;
}
