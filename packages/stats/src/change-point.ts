import { likelihoodRatio } from './association.ts';
import { normalDensity } from './special/normal.ts';

export interface ChangePoint {
  /** Index of the first observation after the change. */
  readonly at: number;
  /** First and last index at which the change may have been. */
  readonly interval: readonly [number, number];
  /** The largest likelihood ratio statistic of all splits. */
  readonly statistic: number;
  /** Chance of such a statistic somewhere if the rate never changed. */
  readonly pValue: number;
  readonly before: number;
  readonly after: number;
}

/** Splits with less than this share of the observations on one side are not tried. */
const trimmed = 0.02;

/**
 * The most likely point at which the rate of a series of 0 and 1 changed once, in O(n).
 *
 * The p-value corrects for the choice of the split: R. Miller, D. Siegmund, "Maximally selected chi square statistics", Biometrics 38
 * (1982). The interval holds the splits whose statistic is within c of the largest, where (1 − e^(−c/2))² is the confidence: the
 * limit of the likelihood ratio for small changes (D. Siegmund, "Confidence sets in change-point problems", International
 * Statistical Review 56, 1988). Both assume independent observations; clustered ones make them too optimistic.
 * @param series in the order of time
 * @returns undefined for fewer than 20 observations, or without a difference
 */
export function changePoint(series: ArrayLike<number>, confidence = 0.95): ChangePoint | undefined {
  const n = series.length;
  if (n < 20) return undefined;
  const statistics = splits(series);
  let at = -1;
  let statistic = 0;
  for (let k = 0; k < n; k += 1) {
    if ((statistics[k] ?? 0) <= statistic) continue;
    at = k;
    statistic = statistics[k] ?? 0;
  }
  if (at < 0) return undefined;
  const within = statistic + 2 * Math.log(1 - Math.sqrt(confidence));
  let low = at;
  let high = at;
  for (let k = 0; k < n; k += 1) {
    if ((statistics[k] ?? 0) <= 0 || (statistics[k] ?? 0) < within) continue;
    low = Math.min(low, k);
    high = Math.max(high, k);
  }
  const x = sumOf(series, 0, at);
  const y = sumOf(series, at, n);
  return {
    at,
    interval: [low, high],
    statistic,
    pValue: maximalTail(statistic, trimmed),
    before: x / at,
    after: y / (n - at),
  };
}

/** The statistic of the split before each index; 0 where none is tried. */
function splits(series: ArrayLike<number>): Float64Array {
  const n = series.length;
  const edge = Math.max(1, Math.ceil(n * trimmed));
  const total = sumOf(series, 0, n);
  const statistics = new Float64Array(n);
  let x = 0;
  for (let k = 0; k < n; k += 1) {
    if (k >= edge && k <= n - edge) statistics[k] = likelihoodRatio({ n: k, x }, { n: n - k, x: total - x });
    x += series[k] ?? 0;
  }
  return statistics;
}

/** P(largest statistic > u) over all splits that leave at least a share ε on each side, by Miller and Siegmund. 1 where u ≤ 1. */
export function maximalTail(u: number, trim: number): number {
  const b = Math.sqrt(u);
  if (b <= 1) return 1;
  const width = 2 * Math.log((1 - trim) / trim);
  return Math.min(1, normalDensity(b) * (4 / b + (b - 1 / b) * width));
}

function sumOf(series: ArrayLike<number>, from: number, to: number): number {
  let sum = 0;
  for (let k = from; k < to; k += 1) sum += series[k] ?? 0;
  return sum;
}
