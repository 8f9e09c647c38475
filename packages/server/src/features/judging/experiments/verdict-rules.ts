import type {
  ExperimentDefinition,
  ExperimentMetric,
  ExperimentPoint,
  MetricResult,
  VariantResult,
} from '@fanion/contract';
import {
  type ArmSummary,
  type Comparison,
  compare,
  correct,
  type Sample,
  type StratumPair,
  summarize,
} from '@fanion/stats';
import { hasBefore, type Measured, sampleOf } from './sample-rules.ts';

const dayMs = 86_400_000;

export interface Judged {
  readonly definition: ExperimentDefinition;
  readonly reliable: boolean;
  readonly elapsedMs: number;
}

interface ComparedArm {
  readonly variant: string;
  readonly summary: ArmSummary;
  /** Undefined for the control. */
  readonly comparison: Comparison | undefined;
}
export interface Compared {
  readonly metric: ExperimentMetric;
  readonly error: string | null;
  readonly arms: readonly ComparedArm[];
}

/** Compares the variants of one metric with the control. It takes about 2 ms for each, so that many metrics are compared one by one. */
export function compareArms({ metric, sums, strata = [] }: Measured, judged: Judged): Compared {
  const { analysis, control, variants } = judged.definition;
  if ('error' in sums) return { metric, error: sums.error, arms: [] };
  const cuped = analysis.cuped && hasBefore(metric.definition, sums);
  const samples = new Map(sums.map((arm) => [arm.variant, sampleOf(metric.definition, arm, cuped)]));
  const base = samples.get(control);
  const arms = variants.flatMap(({ variant }): ComparedArm[] => {
    const sample = samples.get(variant);
    if (base === undefined || sample === undefined) return [];
    if (variant === control) return [{ variant, comparison: undefined, summary: summarize(sample) }];
    const pairs = strata.flatMap((phase): StratumPair[] => {
      const of = (name: string) => phase.find((one) => one.variant === name);
      const [a, b] = [of(control), of(variant)];
      // A phase in which an arm has nobody says nothing about it, and other phases must not stand in.
      if (a === undefined || b === undefined || a.n === 0 || b.n === 0) return [];
      const [before, after] = [sampleOf(metric.definition, a, cuped), sampleOf(metric.definition, b, cuped)];
      return before.kind === 'quantile' || after.kind === 'quantile' ? [] : [{ control: before, treatment: after }];
    });
    const comparison = compareArm(base, sample, strata.length > 0 ? pairs : undefined, metric, judged);
    return [{ variant, comparison, summary: comparison.treatment }];
  });
  return { metric, error: null, arms };
}

/** The metrics of an experiment in their order: goals, secondary metrics, guardrails. p-values are corrected within each role. */
export function judge(compared: readonly Compared[], judged: Judged): MetricResult[] {
  const { analysis } = judged.definition;
  const adjusted = new Map<Comparison, number>();
  for (const role of ['goal', 'secondary', 'guardrail'] as const) {
    const comparisons = compared
      .filter(({ metric }) => metric.role === role)
      .flatMap(({ arms }) =>
        arms.flatMap(({ comparison }) => (comparison?.absolute === undefined ? [] : [comparison])),
      );
    // Guardrails are read one by one: a correction would make it harder to see harm.
    const correction = role === 'guardrail' ? 'none' : analysis.correction;
    const corrected = correct(
      comparisons.map(({ absolute }) => absolute?.pValue ?? 1),
      correction,
    );
    for (const [i, comparison] of comparisons.entries()) adjusted.set(comparison, corrected[i] ?? 1);
  }
  return compared.map(({ metric, error, arms }) => ({
    metric: metric.id,
    key: metric.key,
    name: metric.name,
    kind: metric.definition.kind,
    direction: metric.definition.direction,
    role: metric.role,
    error,
    variants: arms.map(({ variant, comparison, summary }) => {
      const { n, mean } = summary;
      return {
        ...(comparison === undefined
          ? ofControl
          : ofTreatment(comparison, adjusted.get(comparison) ?? null, metric, judged)),
        variant,
        n,
        mean,
      };
    }),
  }));
}

function compareArm(
  control: Sample,
  treatment: Sample,
  pairs: readonly StratumPair[] | undefined,
  { definition }: ExperimentMetric,
  judged: Judged,
): Comparison {
  const { engine, alpha, sequential, prior, minimal_effect: target } = judged.definition.analysis;
  const lowerIsBetter = definition.direction === 'down_is_good';
  const analysis = { engine, alpha, sequential, lowerIsBetter, ...(prior !== null && { prior }), target };
  return compare(control, treatment, analysis, pairs);
}

type Verdict = Omit<VariantResult, 'variant' | 'n' | 'mean'>;

const ofControl: Verdict = {
  absolute: null,
  lift: null,
  lift_interval: null,
  p_value_adjusted: null,
  chance_to_win: null,
  risk: null,
  significant: false,
  verdict: 'control',
  reason: null,
  power: null,
  days_left: null,
};

const reasons = {
  no_variance: 'There are too few units, or their values do not differ, so no error can be stated.',
  too_few_events: 'A verdict needs 10 events in each arm; of a percentile, 10 units that have a value.',
} as const;

function ofTreatment(comparison: Comparison, pValue: number | null, metric: ExperimentMetric, judged: Judged): Verdict {
  const { alpha } = judged.definition.analysis;
  const { absolute, relative, bayesian, power, reason } = comparison;
  const isLower = (absolute?.difference ?? 0) < 0;
  const isGood = (metric.definition.direction === 'down_is_good') === isLower;
  const significant = reason === undefined && judged.reliable && pValue !== null && pValue < alpha;
  const enough = significant ? (isGood ? 'better' : 'worse') : 'no_difference_yet';
  return {
    absolute: absolute
      ? { difference: absolute.difference, interval: absolute.interval, p_value: absolute.pValue }
      : { difference: differenceOf(comparison), interval: null, p_value: null },
    lift: relative?.lift ?? null,
    lift_interval: relative?.interval ?? null,
    p_value_adjusted: pValue,
    chance_to_win: bayesian?.chanceToWin ?? null,
    risk: bayesian?.risk.treatment ?? null,
    significant,
    verdict: reason !== undefined ? 'too_few_data' : judged.reliable ? enough : 'unreliable',
    reason:
      reason === undefined
        ? judged.reliable
          ? null
          : 'The split of the units is not as intended: see health.'
        : reasons[reason],
    power: power ?? null,
    days_left: daysLeft(comparison, judged),
  };
}

/** The difference of two means without a variance. */
function differenceOf({ control, treatment }: Comparison): number | null {
  return control.mean === null || treatment.mean === null ? null : treatment.mean - control.mean;
}

/** Days until the smallest effect of interest is found with a chance of 80 %, at the traffic so far. */
function daysLeft({ control, treatment, needed }: Comparison, { elapsedMs }: Judged): number | null {
  const n = control.n + treatment.n;
  if (needed === undefined || elapsedMs <= 0) return null;
  return Math.max(0, Math.ceil((needed - n) / (n / (elapsedMs / dayMs))));
}

/** The numbers of a day, for the time series, by the keys of the metrics. */
export function pointsOf(metrics: readonly MetricResult[]): Omit<ExperimentPoint, 'time'>[] {
  return metrics.flatMap(({ key, variants }) =>
    variants.map(({ variant, n, mean, absolute }) => ({
      metric: key,
      variant,
      n,
      mean,
      difference: absolute?.difference ?? null,
      interval: absolute?.interval ?? null,
    })),
  );
}
