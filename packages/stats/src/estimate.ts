import type { Moments, QuantileSample, Sample, SummableSample } from './sample.ts';
import { independentOf, moments } from './sample.ts';
import { normalCritical } from './special/normal.ts';

/** An arm's value of a metric. */
export interface Estimate {
  n: number;
  /** Independent observations, where there are fewer than n: the units of a quantile's events. */
  units?: number;
  /** The value, adjusted by CUPED where the sample has values from before. */
  value: number;
  /** The value without the adjustment: what a person expects to see, and what lifts are fractions of. */
  plain: number;
  /** Variance of one unit's contribution; the variance of `value` is variance / n. */
  variance: number;
  /** Covariance of one unit's contributions to `value` and `plain`. */
  covariance: number;
  /** Variance of one unit's contribution to `plain`. */
  plainVariance: number;
}

/** Whether an error can be stated: there is a variance, and no sum overflowed. */
export function hasError({ value, variance }: Estimate): boolean {
  return variance > 0 && Number.isFinite(variance) && Number.isFinite(value);
}

/** A smooth function of means, with its gradient: the delta method needs nothing else. */
export interface Linearized {
  value: number;
  gradient: readonly number[];
}

/** The metric without adjustment, as a function of the means of the sample's sums. */
export function plainOf(kind: SummableSample['kind'], mean: readonly number[]): Linearized {
  const [x = 0, y = 0] = mean;
  const rest = mean.map(() => 0);
  switch (kind) {
    case 'proportion':
    case 'mean':
      return { value: x, gradient: [1] };
    case 'adjusted':
      return { value: x, gradient: [1, 0] };
    case 'ratio':
    case 'adjusted_ratio':
      if (y === 0) return { value: 0, gradient: rest };
      return { value: x / y, gradient: [1 / y, -x / (y * y), ...rest.slice(2)] };
  }
}

/** What CUPED subtracts, θ times the metric before exposure, as a function of the means. */
export function beforeOf(kind: SummableSample['kind'], mean: readonly number[]): Linearized {
  if (kind === 'adjusted') return { value: mean[1] ?? 0, gradient: [0, 1] };
  const [, , b = 0, c = 0] = mean;
  if (kind === 'adjusted_ratio' && c !== 0) return { value: b / c, gradient: [0, 0, 1 / c, -b / (c * c)] };
  return { value: 0, gradient: mean.map(() => 0) };
}

export function adjustedOf(kind: SummableSample['kind'], mean: readonly number[], theta: number): Linearized {
  const plain = plainOf(kind, mean);
  if (theta === 0) return plain;
  const before = beforeOf(kind, mean);
  return {
    value: plain.value - theta * before.value,
    gradient: plain.gradient.map((g, i) => g - theta * (before.gradient[i] ?? 0)),
  };
}

/** gᵀ Σ h. */
export function quadratic(
  g: readonly number[],
  covariance: readonly (readonly number[])[],
  h: readonly number[],
): number {
  let sum = 0;
  covariance.forEach((row, i) => {
    row.forEach((cell, j) => {
      sum += (g[i] ?? 0) * cell * (h[j] ?? 0);
    });
  });
  return sum;
}

export function estimate(sample: Sample, theta = 0): Estimate {
  if (sample.kind === 'quantile') {
    const variance = quantileVariance(sample);
    return {
      n: sample.n,
      units: independentOf(sample),
      value: sample.value,
      plain: sample.value,
      variance,
      covariance: variance,
      plainVariance: variance,
    };
  }
  return estimateMoments(sample.kind, moments(sample), theta);
}

export function estimateMoments(
  kind: SummableSample['kind'],
  { n, mean, covariance }: Moments,
  theta: number,
): Estimate {
  const plain = plainOf(kind, mean);
  const adjusted = adjustedOf(kind, mean, theta);
  return {
    n,
    value: adjusted.value,
    plain: plain.value,
    variance: quadratic(adjusted.gradient, covariance, adjusted.gradient),
    covariance: quadratic(adjusted.gradient, covariance, plain.gradient),
    plainVariance: quadratic(plain.gradient, covariance, plain.gradient),
  };
}

/**
 * θ of CUPED, pooled over both arms so that the adjustment has the same expectation in each: covariance over variance of the metric
 * before exposure. For a mean the arms are joined; for a ratio their linearized moments are added. It is 0 where nothing is gained.
 *
 * Source: Deng, Xu, Kohavi, Walker, "Improving the Sensitivity of Online Controlled Experiments by Utilizing Pre-Experiment Data",
 * WSDM 2013; for ratios Deng, Knoblich, Lu, "Applying the Delta Method in Metric Analytics", KDD 2018.
 */
export function pooledTheta(control: SummableSample, treatment: SummableSample): number {
  if (control.kind === 'adjusted' && treatment.kind === 'adjusted') {
    const { covariance } = moments({
      kind: 'adjusted',
      n: control.n + treatment.n,
      x: control.x + treatment.x,
      xx: control.xx + treatment.xx,
      b: control.b + treatment.b,
      bb: control.bb + treatment.bb,
      xb: control.xb + treatment.xb,
    });
    const [[variance = 0, cross = 0] = [], [, before = 0] = []] = covariance;
    return before > 0 && variance > 0 ? cross / before : 0;
  }
  if (control.kind === 'adjusted_ratio' && treatment.kind === 'adjusted_ratio') {
    let cross = 0;
    let before = 0;
    for (const sample of [control, treatment]) {
      const { mean, covariance } = moments(sample);
      const g = beforeOf(sample.kind, mean).gradient;
      before += quadratic(g, covariance, g);
      cross += quadratic(g, covariance, plainOf(sample.kind, mean).gradient);
    }
    const theta = before > 0 ? cross / before : 0;
    return Math.abs(theta) < 1e-8 ? 0 : theta;
  }
  return 0;
}

/** Quantiles use the two-sided 95 % interval of their ranks. */
const RANKS_Z = normalCritical(0.025);

/**
 * The shares of the events (between 0 and 1) whose order statistics enclose the quantile with 95 % confidence: ask the store for the
 * quantiles at these levels. It is undefined where so few events leave one of them outside, since then there is no interval.
 */
export function quantileRanks(n: number, level: number): { lower: number; upper: number } | undefined {
  const half = RANKS_Z * Math.sqrt((level * (1 - level)) / n);
  const lower = level - half;
  const upper = level + half;
  return lower > 0 && upper < 1 ? { lower, upper } : undefined;
}

/**
 * Variance of a sample quantile from the distance of its order statistics, times n. Zero where it cannot be told: too few events, or
 * an interval that collapses because many events have the same value.
 *
 * Source for clusters: Yao, Li, Lu, "Large-Scale Online Experimentation with Quantile Metrics", 2024 (arXiv 1903.08762): the variance
 * of the share at or below the quantile is that of a ratio over clusters.
 */
export function quantileVariance(sample: QuantileSample): number {
  const { n, level, lower, upper, clusters } = sample;
  if (n <= 1 || quantileRanks(n, level) === undefined) return 0;
  const width = (upper - lower) / (2 * RANKS_Z);
  const independent = ((sample.ranksFor ?? n) / n) * (n - 1) * width * width;
  if (clusters === undefined) return independent;
  if (clusters.n <= 1 || clusters.y <= 0) return 0;
  const { variance } = estimate({ kind: 'ratio', ...clusters });
  return (independent * (variance / clusters.n)) / ((level * (1 - level)) / n);
}
