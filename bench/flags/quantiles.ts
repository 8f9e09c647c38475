/** Milliseconds. */
export interface Quantiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function quantiles(microseconds: readonly number[]): Quantiles {
  const sorted = [...microseconds].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) / 1000;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
