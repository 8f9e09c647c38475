import { chiSquareTail } from './special/chi-square.ts';
import { logGamma } from './special/gamma.ts';

export interface SampleRatio {
  /** The sequential test's p-value, by which `ok` is decided. 1 where there are too few units to judge. */
  pValue: number;
  /** Pearson's χ² test, which people know. It errs when it is looked at repeatedly. */
  chiSquare: number;
  ok: boolean;
  observed: number[];
  expected: number[];
}

/** Alarms of a split that is right: at most this share, over all looks together. */
export const SAMPLE_RATIO_ALPHA = 0.01;
const UNITS_PER_ARM = 8;
/** How strongly the prior of the alternative is concentrated around the intended split: shifts of about one percentage point. */
const CONCENTRATED = 10_000;

/**
 * Whether the units were split as intended. The weights need not sum to 1. Arms with weight 0 are left out.
 *
 * Source: Lindon, Malek, "Anytime-Valid Inference for Multinomial Count Data", NeurIPS 2022, arXiv 2011.03567. The alternative is an
 * equal mixture of two Dirichlet priors, one concentrated around the intended split and one uniform, so that both small shifts of
 * large samples and gross errors of small ones are found soon.
 */
export function sampleRatio(
  observed: readonly number[],
  weights: readonly number[],
  alpha: number = SAMPLE_RATIO_ALPHA,
): SampleRatio {
  if (observed.length !== weights.length) throw new TypeError('sampleRatio needs one weight per arm');
  const weight = weights.reduce((sum, w) => sum + w, 0);
  const arms = observed.map((n, i) => ({ n, share: (weights[i] ?? 0) / weight })).filter((arm) => arm.share > 0);
  const total = arms.reduce((sum, arm) => sum + arm.n, 0);
  const all = { observed: [...observed], expected: weights.map((w) => (w / weight) * total) };
  if (arms.length < 2 || total < UNITS_PER_ARM * arms.length) return { pValue: 1, chiSquare: 1, ok: true, ...all };
  const chi = arms.reduce((sum, { n, share }) => sum + (n - share * total) ** 2 / (share * total), 0);
  const evidence = Math.max(
    logBayesFactor(
      arms,
      arms.map(({ share }) => share * CONCENTRATED),
    ),
    logBayesFactor(
      arms,
      arms.map(() => 1),
    ),
  );
  const other = Math.min(
    logBayesFactor(
      arms,
      arms.map(({ share }) => share * CONCENTRATED),
    ),
    logBayesFactor(
      arms,
      arms.map(() => 1),
    ),
  );
  // ln of the mean of both Bayes factors
  const mixed = evidence + Math.log1p(Math.exp(other - evidence)) - Math.LN2;
  const pValue = Math.min(1, Math.exp(-mixed));
  return { pValue, chiSquare: chiSquareTail(chi, arms.length - 1), ok: pValue >= alpha, ...all };
}

/** ln of the Bayes factor of a Dirichlet prior against the intended shares. The multinomial coefficients cancel. */
function logBayesFactor(arms: readonly { n: number; share: number }[], prior: readonly number[]): number {
  const sum = prior.reduce((total, a) => total + a, 0);
  const n = arms.reduce((total, arm) => total + arm.n, 0);
  let result = logGamma(sum) - logGamma(sum + n);
  arms.forEach((arm, i) => {
    const a = prior[i] ?? 0;
    result += logGamma(a + arm.n) - logGamma(a) - arm.n * Math.log(arm.share);
  });
  return result;
}
