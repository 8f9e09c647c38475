/**
 * What a store adds up for one arm of a metric. All sums are over units (users, traces, …), never over events, since events of one
 * unit are not independent.
 */
export type Sample =
  | ProportionSample
  | MeanSample
  | RatioSample
  | AdjustedSample
  | AdjustedRatioSample
  | QuantileSample;

/** Each unit either has the event or not. */
export interface ProportionSample {
  kind: 'proportion';
  /** Units. */
  n: number;
  /** Units with the event. */
  x: number;
}

/** One number per unit. */
export interface MeanSample {
  kind: 'mean';
  n: number;
  x: number;
  /** Σ of squares. */
  xx: number;
  /** Units whose value is not 0, where the store counts them: few of them make a difference of means unreliable. */
  events?: number | undefined;
}

/** Σx / Σy over units that have several events each, such as revenue per order. */
export interface RatioSample {
  kind: 'ratio';
  n: number;
  x: number;
  xx: number;
  y: number;
  yy: number;
  xy: number;
  /** Units whose numerator is not 0. */
  events?: number | undefined;
}

/** A mean, with the same units' values `b` before they were exposed (CUPED). */
export interface AdjustedSample {
  kind: 'adjusted';
  n: number;
  x: number;
  xx: number;
  b: number;
  bb: number;
  xb: number;
  events?: number | undefined;
}

/** A ratio x / y, with the same units' numerators `b` and denominators `c` before they were exposed. */
export interface AdjustedRatioSample {
  kind: 'adjusted_ratio';
  n: number;
  x: number;
  y: number;
  b: number;
  c: number;
  xx: number;
  yy: number;
  bb: number;
  cc: number;
  xy: number;
  xb: number;
  xc: number;
  yb: number;
  yc: number;
  bc: number;
  events?: number | undefined;
}

/** A quantile of event values, with order statistics on both sides of it (`quantileRanks` says which). */
export interface QuantileSample {
  kind: 'quantile';
  /** Events. */
  n: number;
  /** The sample size for which `lower` and `upper` were chosen, where it is not `n`. */
  ranksFor?: number | undefined;
  /** Between 0 and 1: 0.95 for p95. */
  level: number;
  value: number;
  lower: number;
  upper: number;
  /** Where events come in clusters, one per unit: y events of the unit, x of them at or below the quantile. */
  clusters?: { n: number; x: number; xx: number; y: number; yy: number; xy: number } | undefined;
  /** Units that have an event, where `clusters` has others too. */
  active?: number | undefined;
}

/** A sample whose sums can be added to those of another stratum, day or shard. */
export type SummableSample = Exclude<Sample, QuantileSample>;

/** The means of a sample's sums and their covariance for one unit. */
export interface Moments {
  n: number;
  mean: readonly number[];
  covariance: readonly (readonly number[])[];
}

/** Below this share of the mean square, a variance is rounding error of its sums and counts as zero. */
const ROUNDING = 1e-12;

export function moments(sample: SummableSample): Moments {
  if (sample.kind === 'proportion') {
    const p = sample.n === 0 ? 0 : sample.x / sample.n;
    return { n: sample.n, mean: [p], covariance: [[p * (1 - p)]] };
  }
  const { sums, products } = layout(sample);
  const { n } = sample;
  const covariance = products.map((row, i) =>
    row.map((product, j) => {
      if (n <= 1) return 0;
      const centered = product - ((sums[i] ?? 0) * (sums[j] ?? 0)) / n;
      return (i === j && Math.abs(centered) < ROUNDING * product ? 0 : centered) / (n - 1);
    }),
  );
  return { n, mean: sums.map((sum) => (n === 0 ? 0 : sum / n)), covariance };
}

function layout(sample: Exclude<SummableSample, ProportionSample>): { sums: number[]; products: number[][] } {
  switch (sample.kind) {
    case 'mean':
      return { sums: [sample.x], products: [[sample.xx]] };
    case 'ratio': {
      const { x, y, xx, yy, xy } = sample;
      const products = [
        [xx, xy],
        [xy, yy],
      ];
      return { sums: [x, y], products };
    }
    case 'adjusted': {
      const { x, b, xx, bb, xb } = sample;
      const products = [
        [xx, xb],
        [xb, bb],
      ];
      return { sums: [x, b], products };
    }
    case 'adjusted_ratio': {
      const { x, y, b, c, xx, yy, bb, cc, xy, xb, xc, yb, yc, bc } = sample;
      const products = [
        [xx, xy, xb, xc],
        [xy, yy, yb, yc],
        [xb, yb, bb, bc],
        [xc, yc, bc, cc],
      ];
      return { sums: [x, y, b, c], products };
    }
  }
}

/** Adds the sums of two samples of different units. The kinds must be equal. */
export function addSamples<S extends SummableSample>(one: S, other: S): S {
  if (one.kind !== other.kind)
    throw new TypeError(`cannot add a sample of kind ${other.kind} to one of kind ${one.kind}`);
  const total: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    if (typeof value === 'number') total[key] = value + Number(total[key] ?? 0);
  }
  return Object.assign({ ...one }, total);
}

/**
 * The number of events that a verdict rests on: for a proportion the rarer of event and no event, else the units with a value, since
 * a unit with a thousand events is still one. It is undefined where the store does not count them.
 */
export function eventsOf(sample: Sample): number | undefined {
  if (sample.kind === 'proportion') return Math.min(sample.x, sample.n - sample.x);
  if (sample.kind === 'quantile') return independentOf(sample);
  return sample.events;
}

/** Units of the sample, or clusters of a quantile's events. */
export function unitsOf(sample: Sample): number {
  return sample.kind === 'quantile' ? (sample.clusters?.n ?? sample.n) : sample.n;
}

/** Units whose events make a quantile; without clusters each event is independent. */
export function independentOf({ n, clusters, active }: QuantileSample): number {
  return Math.min(n, active ?? clusters?.n ?? n);
}
