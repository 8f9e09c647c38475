import type { ExperimentDefinition, ExperimentMetric, ExperimentPhase, SampleRatio } from '@fanion/contract';
import { type ExposedUnits, type Measurement, ratioOf } from '../metrics/index.ts';

/** Above this share of the units, those in several variants point to a mistake in the integration. */
const crossedWarning = 0.01;

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
  const warnings = warningsOf({ isSplit: ratio.ok, exposures, crossed: units.crossed, share, countedFromMs }, traffic);
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

interface Split {
  /** Whether the units are split as intended. */
  readonly isSplit: boolean;
  readonly exposures: number;
  readonly crossed: number;
  /** Of crossed units. */
  readonly share: number;
  readonly countedFromMs: number | undefined;
}

function warningsOf({ isSplit, exposures, crossed, share, countedFromMs }: Split, traffic: FlagTraffic): string[] {
  return [
    ...(exposures === 0 && crossed === 0 && traffic.ahead === 0 ? [noExposures(traffic)] : []),
    ...(isSplit
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
    `No unit has a row of ${silent.join(', ')}. If you expect some, look at the rows of the metric with \`explain\`: their unit must be the targeting key, and their time after its exposure.`,
  ];
}

/** Rows that are left out of a metric, as after its attribute was renamed. */
export function skippedOf(
  metrics: readonly Pick<ExperimentMetric, 'name'>[],
  measured: readonly Measurement[],
): string[] {
  return metrics.flatMap(({ name }, i) => {
    const found = measured[i];
    if (found === undefined || 'error' in found) return [];
    const [rows, skipped] = found.sums.reduce(
      ([all, left], sums) => [all + sums.rows + sums.skipped, left + sums.skipped],
      [0, 0],
    );
    if (skipped === 0) return [];
    return [
      `${skipped} of ${rows} rows of ${name} have a value that is missing or not a finite number, and do not count.`,
    ];
  });
}

/** Metrics whose numbers are not those of all units. */
export function partialOf(
  metrics: readonly Pick<ExperimentMetric, 'name' | 'definition'>[],
  phases: readonly Pick<ExperimentPhase, 'from'>[],
): string[] {
  const last = phases.at(-1);
  const names = metrics.filter(({ definition }) => definition.kind === 'quantile').map(({ name }) => name);
  if (phases.length < 2 || last === undefined || names.length === 0) return [];
  return [
    `Quantiles of several phases cannot be added: ${names.join(', ')} is of the units since ${last.from.slice(0, 16)}Z, in the last phase.`,
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
