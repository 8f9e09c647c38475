import type { ExperimentMetric, MetricDefinition } from '@fanion/contract';
import type { Sample } from '@fanion/stats';
import { type ArmSums, addSums, type Measurement } from '../metrics/index.ts';

const isRatio: ReadonlySet<MetricDefinition['kind']> = new Set(['mean', 'ratio']);

/** Whether all arms have values from before. The arms of all phases must be told in one form, since their sums are added. */
export function hasBefore({ kind }: MetricDefinition, arms: readonly ArmSums[]): boolean {
  return arms.every(({ pp, qq }) => pp > 0 && (qq > 0 || !isRatio.has(kind)));
}

/** The sums of an arm as the statistics need them. `adjusted`: with those of the time before. */
export function sampleOf({ kind, quantile }: MetricDefinition, sums: ArmSums, adjusted: boolean): Sample {
  const { n, x, xx, y, yy, xy, p, pp, px, py, q, qq, qx, qy, pq, events } = sums;
  switch (kind) {
    case 'conversion':
    case 'retention':
    case 'funnel':
      if (adjusted) return { kind: 'adjusted', n, x, xx, b: p, bb: pp, xb: px, events: Math.min(x, n - x) };
      return { kind: 'proportion', n, x };
    case 'count':
    case 'sum':
      if (adjusted) return { kind: 'adjusted', n, x, xx, b: p, bb: pp, xb: px, events };
      return { kind: 'mean', n, x, xx, events };
    case 'mean':
    case 'ratio':
      if (adjusted)
        return {
          kind: 'adjusted_ratio',
          ...{ n, x, y, b: p, c: q, xx, yy, bb: pp, cc: qq, xy, xb: px, xc: qx, yb: py, yc: qy, bc: pq },
          events,
        };
      return { kind: 'ratio', n, x, xx, y, yy, xy, events };
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
        active: sums.active,
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
  ...{ active: 0, events: 0, rows: 0, skipped: 0, quantile: null },
};

export function toMeasured(metric: ExperimentMetric, measured: Measurement | undefined): Measured {
  if (measured === undefined) throw new Error(`the metric ${metric.key} was not measured`);
  return { metric, sums: 'error' in measured ? { error: measured.error } : measured.sums };
}
