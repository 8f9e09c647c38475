import type {
  ExperimentDefinition,
  ExperimentMetric,
  ExperimentPhase,
  ExperimentPoint,
  MetricDefinition,
  MetricResult,
  SampleRatio,
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
  unitsFor,
} from '@fanion/stats';
import { type ArmSums, addSums, type ExposedUnits, type Measurement, ratioOf } from '../metrics/index.ts';

const dayMs = 86_400_000;
/** Above this share of the units, those in several variants point to a mistake in the integration. */
const crossedWarning = 0.01;
const targetPower = 0.8;

/** The sums of an arm as the statistics need them. `cuped`: with those of the time before, where the metric has them. */
export function sampleOf({ kind, quantile }: MetricDefinition, sums: ArmSums, cuped: boolean): Sample {
  const { n, x, xx, y, yy, xy, p, pp, px, py, q, qq, qx, qy, pq, active } = sums;
  const isAdjusted = cuped && pp > 0;
  switch (kind) {
    case 'conversion':
    case 'retention':
    case 'funnel':
      if (isAdjusted) return { kind: 'adjusted', n, x, xx, b: p, bb: pp, xb: px, events: Math.min(x, n - x) };
      return { kind: 'proportion', n, x };
    case 'count':
    case 'sum':
      if (isAdjusted) return { kind: 'adjusted', n, x, xx, b: p, bb: pp, xb: px, events: active };
      return { kind: 'mean', n, x, xx, events: active };
    case 'mean':
    case 'ratio':
      if (isAdjusted && qq > 0)
        return {
          kind: 'adjusted_ratio',
          ...{ n, x, y, b: p, c: q, xx, yy, bb: pp, cc: qq, xy, xb: px, xc: qx, yb: py, yc: qy, bc: pq },
          events: active,
        };
      return { kind: 'ratio', n, x, xx, y, yy, xy, events: active };
    case 'quantile': {
      const { value = 0, lower = 0, upper = 0 } = sums.quantile ?? {};
      return {
        kind: 'quantile',
        n: sums.rows,
        level: quantile ?? 0.5,
        value,
        lower,
        upper,
        clusters: { n, x, xx, y, yy, xy },
      };
    }
  }
}

/** What was measured of a metric, or why it was not. */
export interface Measured {
  readonly metric: ExperimentMetric;
  readonly sums: readonly ArmSums[] | { readonly error: string };
  /** The same sums by the phase of the units, if there were several. */
  readonly strata?: readonly (readonly ArmSums[])[];
}

/**
 * A metric over all phases. Units of a phase are compared with each other only, since another phase has other weights and another time. A
 * quantile has no sums that could be added, so it is that of the last phase.
 */
export function overPhases(
  metric: ExperimentMetric,
  measured: Measurement | undefined,
  arms: readonly string[],
  phases: number,
): Measured {
  if (phases < 2 || measured === undefined || 'error' in measured) return toMeasured(metric, measured);
  const strata = Array.from({ length: phases }, (_, phase) => armsOfSlice(measured.sums, arms, String(phase)));
  const last = strata.at(-1) ?? [];
  if (metric.definition.kind === 'quantile') return { metric, sums: last };
  const [first = [], ...others] = strata;
  return {
    metric,
    strata,
    sums: others.reduce<readonly ArmSums[]>((sum, one) => sum.map((arm, i) => addSums(arm, one[i]) ?? arm), first),
  };
}

/** The sums of all arms in one slice, zeros for arms without units. */
export function armsOfSlice(sums: readonly ArmSums[], arms: readonly string[], slice: string): readonly ArmSums[] {
  return arms.map(
    (variant): ArmSums =>
      sums.find((one) => one.variant === variant && one.slice === slice) ?? { variant, slice, ...noSums },
  );
}

const noSums = {
  ...{ n: 0, x: 0, xx: 0, y: 0, yy: 0, xy: 0, p: 0, pp: 0, px: 0, py: 0, q: 0, qq: 0, qx: 0, qy: 0, pq: 0 },
  ...{ active: 0, rows: 0, quantile: null },
};

export function toMeasured(metric: ExperimentMetric, measured: Measurement | undefined): Measured {
  if (measured === undefined) throw new Error(`the metric ${metric.key} was not measured`);
  return { metric, sums: 'error' in measured ? { error: measured.error } : measured.sums };
}

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
  const cuped = analysis.cuped && sums.every(({ pp }) => pp > 0);
  const samples = new Map(sums.map((arm) => [arm.variant, sampleOf(metric.definition, arm, cuped)]));
  const base = samples.get(control);
  const arms = variants.flatMap(({ variant }): ComparedArm[] => {
    const sample = samples.get(variant);
    if (base === undefined || sample === undefined) return [];
    if (variant === control) return [{ variant, comparison: undefined, summary: summarize(sample) }];
    const pairs = strata.flatMap((phase): StratumPair[] => {
      const of = (name: string) => phase.find((one) => one.variant === name);
      const [a, b] = [of(control), of(variant)];
      if (a === undefined || b === undefined) return [];
      const [before, after] = [sampleOf(metric.definition, a, cuped), sampleOf(metric.definition, b, cuped)];
      return before.kind === 'quantile' || after.kind === 'quantile' ? [] : [{ control: before, treatment: after }];
    });
    const comparison = compareArm(base, sample, pairs, metric, judged);
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
  pairs: readonly StratumPair[],
  { definition }: ExperimentMetric,
  judged: Judged,
): Comparison {
  const { engine, alpha, sequential, prior, minimal_effect: target } = judged.definition.analysis;
  const lowerIsBetter = definition.direction === 'down_is_good';
  const analysis = { engine, alpha, sequential, lowerIsBetter, ...(prior !== null && { prior }), target };
  return compare(control, treatment, analysis, pairs.length > 1 ? pairs : undefined);
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
  too_few_events: 'A verdict needs 10 events in each arm.',
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
function daysLeft({ absolute, control, treatment }: Comparison, { definition, elapsedMs }: Judged): number | null {
  const { alpha, sequential, minimal_effect: effect } = definition.analysis;
  const n = control.n + treatment.n;
  if (absolute === undefined || control.mean === null || elapsedMs <= 0) return null;
  const data = { standardError: absolute.standardError, n };
  const needed = unitsFor(effect * Math.abs(control.mean), data, { alpha, power: targetPower, sequential });
  if (needed === undefined) return null;
  return Math.max(0, Math.ceil((needed - n) / (n / (elapsedMs / dayMs))));
}

/** How a flag was evaluated in an environment, whether or not it was measured. */
export interface FlagTraffic {
  /** Reports of any kind. */
  readonly evaluations: number;
  /** Of them, those in the split of the experiment. */
  readonly tracked: number;
  /** Units that saw the flag outside of the split. */
  readonly untrackedUnits: number;
  /** Units in the split whose exposure lies after `toMs`. */
  readonly ahead: number;
  /** Units in a split of the flag in the day before `fromMs`. */
  readonly beforeStart: number;
}

/** Whether the numbers can be trusted, and what explains them. */
export function healthOf(
  {
    definition,
    phases,
    countedFromMs,
    toMs,
  }: {
    readonly definition: ExperimentDefinition;
    readonly phases: readonly ExperimentPhase[];
    /** Metrics are those of units that were exposed first since then; undefined: of all. */
    readonly countedFromMs: number | undefined;
    readonly toMs: number;
  },
  units: ExposedUnits,
  traffic: FlagTraffic,
) {
  const names = definition.variants.map(({ variant }) => variant);
  const byPhase = phases.map((phase, i) => {
    const isOnly = phases.length === 1;
    const of = (name: string) =>
      isOnly
        ? (units.arms[name] ?? 0)
        : (units.slices.find(({ variant, slice }) => variant === name && slice === String(i))?.n ?? 0);
    const weights = Object.fromEntries(phase.variants.map(({ variant, weight }) => [variant, weight]));
    const ratio = ratioOf(
      Object.fromEntries(names.map((name) => [name, of(name)])),
      weights,
      isOnly ? units.crossed : 0,
    );
    const { audience: _, ...told } = phase;
    return { ...told, to: phases[i + 1]?.from ?? new Date(toMs).toISOString(), sample_ratio: ratio };
  });
  const ratio = overall(
    byPhase.map(({ sample_ratio }) => sample_ratio),
    units.crossed,
  );
  const exposures = names.reduce((sum, name) => sum + (units.arms[name] ?? 0), 0);
  const share = exposures + units.crossed === 0 ? 0 : units.crossed / (exposures + units.crossed);
  const warnings = [
    ...(exposures === 0 && units.crossed === 0 && traffic.ahead === 0 ? [noExposures(traffic)] : []),
    ...(ratio.ok
      ? []
      : [
          'The units are not split as intended. Look for a cause before you read any number: redirects, crashes, or exposures that one variant does not report.',
        ]),
    ...(share > crossedWarning
      ? [
          `${(100 * share).toFixed(1)} % of the units saw several variants and are left out. Check that the same targeting key is used everywhere.`,
        ]
      : []),
    ...(traffic.ahead > 0
      ? [`${traffic.ahead} units have exposures in the future. Set the clocks of the clients that report them.`]
      : []),
    ...(traffic.beforeStart > 0
      ? [
          `${traffic.beforeStart} units were in a split of the flag in the day before the start, and do not count for that. They were in an earlier ramp, release or experiment, or the clocks of their clients are slow.`,
        ]
      : []),
    ...(countedFromMs === undefined
      ? []
      : [
          `The experiment runs longer than telemetry is kept. Metrics are those of the units that were exposed first since ${new Date(countedFromMs).toISOString().slice(0, 16)}Z, whose events are all there.`,
        ]),
  ];
  return {
    sample_ratio: ratio,
    exposures,
    crossed_units: units.crossed,
    crossed_share: share,
    untracked_units: traffic.untrackedUnits,
    evaluations: traffic.evaluations,
    ahead: traffic.ahead,
    before_start: traffic.beforeStart,
    phases: byPhase,
    warnings,
  };
}

/** Metrics without a row of any unit: their zeros may mean that nothing happened, or that nothing joins. */
export function silenceOf(
  metrics: readonly Pick<ExperimentMetric, 'name'>[],
  measured: readonly Measurement[],
): string[] {
  const silent = metrics.flatMap(({ name }, i) => {
    const found = measured[i];
    if (found === undefined || 'error' in found) return [];
    const hasUnits = found.sums.some(({ n }) => n > 0);
    return hasUnits && found.sums.every(({ rows }) => rows === 0) ? [name] : [];
  });
  if (silent.length === 0) return [];
  return [
    `No unit has a row of ${silent.join(', ')}. If you expect some, look at the rows of the metric with \`explain\`: their unit must be the targeting key.`,
  ];
}

/** All phases must be split as intended. Of their p-values the least counts, times their number. */
function overall(ratios: readonly SampleRatio[], crossed: number): SampleRatio {
  const least = (values: readonly (number | null)[]) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? null : Math.min(1, Math.min(...known) * known.length);
  };
  const add = (records: readonly Readonly<Record<string, number>>[]) => {
    const sums: Record<string, number> = {};
    for (const record of records) for (const [name, n] of Object.entries(record)) sums[name] = (sums[name] ?? 0) + n;
    return sums;
  };
  return {
    ok: ratios.every(({ ok }) => ok),
    p_value: least(ratios.map(({ p_value }) => p_value)),
    chi_squared_p: least(ratios.map(({ chi_squared_p }) => chi_squared_p)),
    observed: add(ratios.map(({ observed }) => observed)),
    expected: add(ratios.map(({ expected }) => expected)),
    crossed,
  };
}

/** Why there are no units: what was evaluated at all. */
function noExposures({ evaluations, tracked, untrackedUnits }: FlagTraffic): string {
  if (evaluations === 0)
    return "No exposures: the flag was not evaluated here. A bulk answer (all flags at once) is no exposure: add the OpenTelemetry hook to the client, with `import { TracingHook } from '@openfeature/open-telemetry-hooks'` and `OpenFeature.addHooks(new TracingHook())`.";
  if (tracked > 0)
    return 'No exposures: the flag is evaluated, but without a unit. Pass a targeting key, or the attribute of `bucket_by`.';
  if (untrackedUnits > 0)
    return 'No exposures: units see the flag only outside of the experiment. Targets and rules come before it, and its traffic may leave them out.';
  return 'No exposures: the flag is evaluated, but answered by targets, rules or the off variant.';
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
