import type { GuardedLook, MetricDefinition } from '@fanion/contract';
import { judgeBefore, judgeGuard, unitsToDecide } from '@fanion/stats';
import { type ArmSums, sampleOf } from '../metrics/index.ts';

export interface JudgedGuard {
  /** Null: that of the metric. */
  readonly direction: 'up_is_good' | 'down_is_good' | null;
  readonly tolerance: number;
  readonly scale?: 'absolute' | 'relative';
  readonly min_units: number;
}

type GuardNumbers = GuardedLook['guards'][number];

/** Metrics that only units with rows say anything about. */
const needsRows: ReadonlySet<MetricDefinition['kind']> = new Set(['mean', 'ratio', 'quantile']);

/** In units of the metric, before the value of the control is known. */
export function toleranceNow({ tolerance, scale }: Pick<JudgedGuard, 'tolerance' | 'scale'>): number | null {
  return scale === 'relative' && tolerance > 0 ? null : tolerance;
}

export interface Tests {
  readonly alpha: number;
  readonly guards: number;
  readonly comparedWith: GuardedLook['compared_with'];
}

/** One look of a guard. α is split among the guards of the release. */
export function judge(
  metric: { readonly key: string; readonly name: string; readonly definition: MetricDefinition },
  guard: JudgedGuard,
  arms: { readonly control: ArmSums; readonly treatment: ArmSums },
  { alpha, guards, comparedWith }: Tests,
): GuardNumbers {
  const { definition, key, name } = metric;
  const { tolerance, scale = 'absolute', min_units: minUnits } = guard;
  const direction = guard.direction ?? definition.direction;
  const counted = ({ n, active }: ArmSums) => (needsRows.has(definition.kind) ? active : n);
  // Without any row of what should go up, the metric does not join: its zeros are no evidence that all is well.
  const isSilent = direction === 'up_is_good' && arms.control.rows === 0 && arms.treatment.rows === 0;
  const [a, b] = isSilent ? [0, 0] : [counted(arms.control), counted(arms.treatment)];
  const head = { metric: key, name, tolerance: toleranceNow(guard), error: null };
  const control = sampleOf(definition, arms.control);
  const treatment = sampleOf(definition, arms.treatment);
  if (control === undefined || treatment === undefined)
    return {
      ...head,
      verdict: 'not_sure',
      control: { n: a, mean: null },
      treatment: { n: b, mean: null },
      harm: null,
      bound: null,
      upper: null,
      units_needed: isSilent ? null : minUnits,
    };
  const asked = { control, treatment, direction, tolerance, scale, alpha, guards, minUnits };
  const isBefore = comparedWith === 'control_before';
  const found = isBefore ? judgeBefore(asked) : judgeGuard(asked);
  const isEnough = a >= minUnits && b >= minUnits;
  const verdict = isEnough ? found.verdict : 'not_sure';
  const needed = isSilent || isBefore || verdict !== 'not_sure' ? undefined : unitsToDecide(asked);
  const finite = (value: number | undefined) => (value !== undefined && Number.isFinite(value) ? value : null);
  return {
    ...head,
    tolerance: found.tolerated,
    verdict,
    control: { n: a, mean: finite(found.control.mean) },
    treatment: { n: b, mean: finite(found.treatment.mean) },
    harm: finite(found.harm),
    bound: finite(found.bound),
    upper: finite(found.upper),
    units_needed: needed === undefined ? null : Math.max(minUnits, needed),
  };
}
