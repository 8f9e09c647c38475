import { estimateMoments, quadratic } from './estimate.ts';
import type { Moments, SummableSample } from './sample.ts';
import { addSamples, moments } from './sample.ts';

/** Means of the outcomes of both arms, the control's first, and the covariance of these means. */
export interface Stratum {
  n: number;
  means: readonly number[];
  covariance: readonly (readonly number[])[];
}

/** The outcomes come first among the sums of a sample, the values from before after them. */
const OUTCOMES: Readonly<Record<SummableSample['kind'], number>> = {
  proportion: 1,
  mean: 1,
  adjusted: 1,
  ratio: 2,
  adjusted_ratio: 2,
};

/**
 * The means of one stratum's arms. Values from before are taken out by regression, with the same slopes in both arms. Each arm keeps
 * the variance of its own residuals: a common one would understate the error where the smaller arm varies more.
 *
 * Source: analysis of covariance, Fisher, "Statistical Methods for Research Workers", 1932; with variances by arm as in Welch's test.
 */
export function stratumOf({ control, treatment }: { control: SummableSample; treatment: SummableSample }): Stratum {
  const { kind } = control;
  const joint = moments(addSamples(control, treatment));
  // An arm without variance, as one without events so far, borrows that of both arms together
  const arms = [control, treatment].map((sample): Moments => {
    const own = moments(sample);
    return estimateMoments(kind, own, 0).plainVariance > 0 ? own : { ...own, covariance: joint.covariance };
  });
  const all = joint.mean.map((_, i) => i);
  const outcomes = all.slice(0, OUTCOMES[kind]);
  const within = all.map((i) =>
    all.map((j) => arms.reduce((sum, { n, covariance }) => sum + (n - 1) * (covariance[i]?.[j] ?? 0), 0)),
  );
  const { covariates, inverse } = usable(all.slice(outcomes.length), within);
  // For each outcome the slopes by which it follows the values from before, and what is left of it, both as sums of the sample's means
  const explained = outcomes.map((outcome) => {
    const row = within[outcome] ?? [];
    const slopes = covariates.map((_, r) => dot(inverse[r], pick(row, covariates)));
    return all.map((i) => slopes[covariates.indexOf(i)] ?? 0);
  });
  const rest = explained.map((slopes, outcome) => slopes.map((slope, i) => (i === outcome ? 1 : 0) - slope));
  const degrees = joint.n - 2;
  const lost = degrees / (degrees - covariates.length);
  const away = arms.map(({ mean }) => pick(mean, covariates).map((m, r) => m - (pick(joint.mean, covariates)[r] ?? 0)));
  const each = arms.flatMap((arm, k) => outcomes.map((outcome) => ({ arm, k, outcome })));
  return {
    n: joint.n,
    means: each.map(({ arm, outcome }) => dot(rest[outcome], arm.mean) + dot(explained[outcome], joint.mean)),
    covariance: each.map(({ arm, k, outcome }) =>
      each.map(({ k: otherArm, outcome: other }) => {
        const left = (covariance: Moments['covariance']) =>
          lost * quadratic(rest[outcome] ?? [], covariance, rest[other] ?? []);
        const own = k === otherArm ? left(arm.covariance) / arm.n : 0;
        const ofSlopes = (left(within) / degrees) * quadratic(away[k] ?? [], inverse, away[otherArm] ?? []);
        const shared = quadratic(explained[outcome] ?? [], joint.covariance, explained[other] ?? []) / joint.n;
        return own + ofSlopes + shared;
      }),
    ),
  };
}

/** The values from before that say something of their own, at most two, and the inverse of their sums of squares. */
function usable(covariates: readonly number[], within: Moments['covariance']) {
  const at = (i: number, j: number) => within[i]?.[j] ?? 0;
  const [b, c] = covariates.filter((i) => at(i, i) > 0);
  if (b === undefined) return { covariates: [], inverse: [] };
  const determinant = c === undefined ? 0 : at(b, b) * at(c, c) - at(b, c) ** 2;
  if (c === undefined || determinant < COLLINEAR * at(b, b) * at(c, c))
    return { covariates: [b], inverse: [[1 / at(b, b)]] };
  const inverse = [
    [at(c, c) / determinant, -at(b, c) / determinant],
    [-at(b, c) / determinant, at(b, b) / determinant],
  ];
  return { covariates: [b, c], inverse };
}

/** Two values from before whose correlation is closer to 1 than this, squared, count as one. */
const COLLINEAR = 1e-9;

function pick(values: readonly number[], indices: readonly number[]): number[] {
  return indices.map((i) => values[i] ?? 0);
}

function dot(left: readonly number[] = [], right: readonly number[] = []): number {
  return left.reduce((sum, value, i) => sum + value * (right[i] ?? 0), 0);
}
