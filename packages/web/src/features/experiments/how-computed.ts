import type { Experiment } from './queries.ts';

/** A part of the analysis: what it does in words, its formula, and who described it. */
export interface Method {
  readonly title: string;
  readonly words: string;
  readonly formula: string;
  readonly source: string;
}

const SEQUENTIAL: Method = {
  title: 'The interval',
  words:
    'A confidence sequence: the true difference is inside at all times together, so you may look and stop whenever you like.',
  formula: 'difference ± SE·√( 2(k + 1)·ln(√(k + 1)/α) / k ),  k = N·ρ²,  ρ² = (−2 ln α + ln(1 − 2 ln α)) / 5000',
  source: 'Waudby-Smith et al., Annals of Statistics 2024, arXiv 2103.06476, equations 9 and 161',
};
const FIXED: Method = {
  title: 'The interval',
  words: "Welch's t-test. It holds for one look at a time that was planned before.",
  formula: 'difference ± t(1 − α/2, df)·√(var(a)/n_a + var(b)/n_b),  df after Welch and Satterthwaite',
  source: 'Welch, Biometrika 34 (1947)',
};
const BAYES: Method = {
  title: 'The chance to win, and the interval',
  words:
    'The probability that the variant is better, given the data and the prior. It does not control the errors of looking often.',
  formula: 'Φ(m/s),  1/s² = 1/SE² + 1/prior variance,  m = s²·(difference/SE² + prior mean/prior variance)',
  source: 'normal prior and likelihood, as in GrowthBook’s gbstats',
};
const OF_KIND: Readonly<Record<string, Method>> = {
  ratio: {
    title: 'The value of a ratio',
    words: 'The sum of the upper numbers by the sum of the lower ones. Rows of one unit belong together.',
    formula: 'Var(x/y) ≈ (var(x)/y² − 2·x·cov(x, y)/y³ + x²·var(y)/y⁴) / n,  x and y: means of a unit',
    source: 'delta method: Deng, Knoblich, Lu, KDD 2018, arXiv 1803.06336',
  },
  quantile: {
    title: 'The value of a percentile',
    words: 'Order statistics of all rows; rows of one unit belong together.',
    formula:
      'SE² = ((u − l)/(2·1.96))² · Var(share below q, by unit)/(q(1 − q)/n),  l and u: order statistics at q ± 1.96·√(q(1 − q)/n)',
    source: 'Yao, Li, Lu, arXiv 1903.08762',
  },
};
const CUPED: Method = {
  title: 'What units did before',
  words: 'The part of the difference that the time before the exposure predicts is taken out.',
  formula: 'x − θ·(before − mean of before),  θ = cov(x, before)/var(before), pooled over the variants',
  source: 'Deng, Xu, Kohavi, Walker, WSDM 2013',
};
const PHASES: Method = {
  title: 'Several phases',
  words:
    'Units are compared within their phase, since another phase has other weights and another time. Each phase counts by its share of the units, and what they did before is taken out within it.',
  formula:
    'Σ wₖ·(b̄ₖ − āₖ),  Var = Σ wₖ²·(var(aₖ)/n_aₖ + var(bₖ)/n_bₖ) + Σ wₖ·(dₖ − d)²/N,  wₖ: share of phase k, dₖ: its difference',
  source: 'post-stratification: Miratrix, Sekhon, Yu, JRSS B 75 (2013)',
};
const LAST_PHASE: Method = {
  title: 'Several phases',
  words: 'Percentiles of several phases cannot be added: this is the last phase.',
  formula: 'value and SE of the units of the last phase',
  source: 'order statistics of parts do not give those of the whole',
};
const CORRECTIONS: Readonly<Record<string, Method>> = {
  holm: {
    title: 'Several goals',
    words: 'The smallest p-value is multiplied by the number of comparisons, the next by one less, and so on.',
    formula: 'p₍ᵢ₎ = max over j ≤ i of min(1, (m − j + 1)·p₍ⱼ₎)',
    source: 'Holm, Scandinavian Journal of Statistics 6 (1979)',
  },
  benjamini_hochberg: {
    title: 'Several goals',
    words: 'Limits the share of false findings among all findings.',
    formula: 'p₍ᵢ₎ = min over j ≥ i of min(1, m/j·p₍ⱼ₎)',
    source: 'Benjamini and Hochberg, JRSS B 57 (1995)',
  },
};
const LIFT: Method = {
  title: 'The change',
  words: 'The difference as a share of the control’s mean, for display. Verdicts are taken from the difference.',
  formula: 'change = (b − a)/|a|,  Var = var(b)/(n_b·a²) + var(a)·b²/(n_a·a⁴)',
  source: 'delta method, as in GrowthBook’s gbstats',
};
const SPLIT: Method = {
  title: 'The split',
  words: 'Whether the units were divided by the weights. If not, no other number can be trusted.',
  formula:
    'Bayes factor of a Dirichlet mixture against the intended weights; alarm below p = 0.01, at all looks together',
  source: 'Lindon and Malek, NeurIPS 2022, arXiv 2011.03567',
};

const MEAN_BY_ROW = 'mean';

/** How a metric of an experiment was judged, the most important part first. */
export function methodsOf(
  { analysis, phases }: Pick<Experiment, 'analysis' | 'phases'>,
  kind: string,
  goals: number,
): Method[] {
  const { engine, sequential, cuped, correction } = analysis;
  const ofKind = OF_KIND[kind === MEAN_BY_ROW ? 'ratio' : kind];
  const corrected = goals > 1 ? CORRECTIONS[correction] : undefined;
  return [
    engine === 'bayesian' ? BAYES : sequential ? SEQUENTIAL : FIXED,
    ...(ofKind === undefined ? [] : [ofKind]),
    ...(phases.length > 1 ? [kind === 'quantile' ? LAST_PHASE : PHASES] : []),
    ...(cuped && kind !== 'quantile' ? [CUPED] : []),
    ...(corrected === undefined ? [] : [corrected]),
    LIFT,
    SPLIT,
  ];
}
