import type { MetricDefinition } from '@fanion/contract';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';

/** The units of an analysis: who saw which arm of a flag, and when first. */
export interface Exposed {
  /** With the environment: exposures of others do not count. */
  readonly scope: TelemetryScope & { readonly project: number; readonly environment: string };
  readonly flag: string;
  /** Only these arms are measured; a unit that saw another variant, tracked, is crossed. */
  readonly arms: readonly string[];
  /** Exposures and rows of this time count: from inclusive, to exclusive, Unix milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The experiment whose units are kept in `experiment_units`, which count beside the exposures that there still are. */
  readonly pinned?: string | undefined;
  /**
   * Divides the units anew, as a rollout with this seed would, in place of the arms that they saw. These are units that saw `served` and
   * nothing else, tracked or not.
   */
  readonly split?: { readonly seed: string; readonly served: string; readonly parts: readonly SplitPart[] } | undefined;
  /** Exposures outside of splits count too. */
  readonly untracked?: boolean | undefined;
  /** Only units that were exposed first from this time on are measured: rows of earlier ones have expired. */
  readonly countedFromMs?: number | undefined;
}

/** A part of the line, out of 100000, in the order of the line. */
export interface SplitPart {
  /** Empty: the part is not measured. */
  readonly arm: string;
  readonly weight: number;
}

/** How the units of an arm are divided further. */
export type Slicing =
  /** By the time of the first exposure: the slice is the number of bounds, in Unix milliseconds, that are not later. */
  | { readonly by: 'start'; readonly bounds: readonly number[] }
  /** By the arm of another flag that the unit saw in the same time; units that saw none, or several, are left out. */
  | { readonly by: 'flag'; readonly flag: string; readonly arms: readonly string[] }
  /** By an OQL expression of the evaluation that exposed the unit first; the slice is empty where it has no value. */
  | { readonly by: 'expression'; readonly expression: string; readonly values: readonly string[] }
  /** Rows by whole days since the exposure of their unit, of units that have had that day, at most `days` of them. */
  | { readonly by: 'day'; readonly days: number };

/**
 * Sums over the units of one arm. Per unit, x is the metric's number and y its denominator (ratio: the sum of `denominator`;
 * mean: the rows; quantile: the rows, and x the rows up to the quantile; else 0). p and q are the same before the
 * exposure, for CUPED; 0 unless asked for.
 */
export interface ArmSums {
  readonly variant: string;
  /** Empty unless the units are sliced. */
  readonly slice: string;
  readonly n: number;
  readonly x: number;
  readonly xx: number;
  readonly y: number;
  readonly yy: number;
  readonly xy: number;
  readonly p: number;
  readonly pp: number;
  readonly px: number;
  readonly py: number;
  readonly q: number;
  readonly qq: number;
  readonly qx: number;
  readonly qy: number;
  readonly pq: number;
  /** Units with at least one row. */
  readonly active: number;
  /** Units whose x is not 0: of an error rate those with an error, on which a verdict rests. */
  readonly events: number;
  /** Rows that count. */
  readonly rows: number;
  /** Rows that do not, because a value is missing or not a finite number. */
  readonly skipped: number;
  /** For the kind quantile; null without rows. */
  readonly quantile: ArmQuantile | null;
}

/** Order statistics of all rows of an arm. */
export interface ArmQuantile {
  /** The value at the rank ⌈rows · quantile⌉. */
  readonly value: number;
  /** The values at the ranks ⌈rows · (quantile ∓ delta)⌉, within 1 … rows: (2 · delta) / (upper − lower) estimates the density. */
  readonly lower: number;
  readonly upper: number;
  readonly delta: number;
}

export interface MeasureOptions {
  /** Days before a unit's exposure that p and q sum up; 0: none. */
  readonly beforeDays?: number;
  readonly slicing?: Slicing;
  /** The units, if they are known already, divided in the same way: for several metrics of the same exposures. */
  readonly units?: ExposedUnits;
  readonly signal: AbortSignal;
}

/** The sums of a metric, or why it has none. */
export type Measurement = { readonly sums: readonly ArmSums[] } | { readonly error: string };

/** Measures metrics per arm. Throws as the gateway does. A metric without rows has sums of 0 for all units. */
export interface MeasureMetrics {
  /** All arms of `exposed.arms`, also without units; with slices, those that have units. */
  sums(exposed: Exposed, metric: MetricDefinition, options: MeasureOptions): Promise<readonly ArmSums[]>;
  /**
   * The same for many metrics, in their order. Metrics of one signal share a scan. What cannot be measured has an error; a store that is
   * down, or too busy, throws.
   */
  all(exposed: Exposed, metrics: readonly MetricDefinition[], options: MeasureOptions): Promise<readonly Measurement[]>;
  /** Units by arm, and units that saw several arms, which are left out everywhere. */
  units(exposed: Exposed, signal: AbortSignal, slicing?: Slicing): Promise<ExposedUnits>;
  /** The values of an OQL expression of the evaluations that exposed units first, those of the most units first. */
  values(
    exposed: Exposed,
    expression: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly { readonly value: string; readonly units: number }[]>;
}

export interface ExposedUnits {
  readonly arms: Readonly<Record<string, number>>;
  /** When the first of them was exposed, in Unix milliseconds; undefined without units, and where several flags are measured together. */
  readonly firstMs?: number | undefined;
  readonly crossed: number;
  /** Units by arm and slice; empty unless they are sliced. */
  readonly slices: readonly { readonly variant: string; readonly slice: string; readonly n: number }[];
}

/** The units of several flags of one environment, each with what counts for it. */
export interface ManyExposed {
  readonly scope: Exposed['scope'];
  readonly toMs: number;
  readonly flags: readonly Pick<Exposed, 'flag' | 'arms' | 'fromMs'>[];
}

/** Measures the same for several flags, in a read that costs little more than one of them. Answers are in the order of the flags. Throws as the gateway does. */
export interface MeasureMany {
  units(asked: ManyExposed, signal: AbortSignal): Promise<readonly ExposedUnits[]>;
  /** Metrics without a cap, which would be a quantile of the units of each flag. Throws if one of them cannot be measured. */
  all(
    asked: ManyExposed,
    metrics: readonly MetricDefinition[],
    options: { readonly units: readonly ExposedUnits[]; readonly signal: AbortSignal },
  ): Promise<readonly (readonly Measurement[])[]>;
}
