import type { GuardedLook, MetricDefinition } from '@fanion/contract';
import { judgeGuard, type Sample, sampleRatio } from '@fanion/stats';
import type { ArmSums } from '../metrics/index.ts';

/** The sums of an arm in the form of the tests; undefined where there is nothing to judge. */
export function sampleOf(metric: MetricDefinition, sums: ArmSums): Sample | undefined {
  const { n, x, xx, y, yy, xy, active, rows, quantile } = sums;
  switch (metric.kind) {
    case 'conversion':
    case 'retention':
    case 'funnel':
      return { kind: 'proportion', n, x };
    case 'count':
    case 'sum':
      return { kind: 'mean', n, x, xx, events: active };
    case 'mean':
    case 'ratio':
      return y === 0 ? undefined : { kind: 'ratio', n, x, xx, y, yy, xy, events: active };
    case 'quantile':
      if (quantile === null) return undefined;
      return {
        kind: 'quantile',
        n: rows,
        level: metric.quantile ?? 0.5,
        value: quantile.value,
        lower: quantile.lower,
        upper: quantile.upper,
        clusters: { n: active, x, xx, y, yy, xy },
      };
  }
}

export interface JudgedGuard {
  readonly direction: 'up_is_good' | 'down_is_good';
  readonly tolerance: number;
  readonly min_units: number;
}

type GuardNumbers = GuardedLook['guards'][number];

/** Metrics that only units with rows say anything about. */
const needsRows: ReadonlySet<MetricDefinition['kind']> = new Set(['mean', 'ratio', 'quantile']);

/** One look of a guard. α is that of the release, and is split among its guards. */
export function judge(
  metric: { readonly key: string; readonly name: string; readonly definition: MetricDefinition },
  guard: JudgedGuard,
  arms: { readonly control: ArmSums; readonly treatment: ArmSums },
  { alpha, guards }: { readonly alpha: number; readonly guards: number },
): GuardNumbers {
  const { definition, key, name } = metric;
  const { tolerance, direction, min_units: minUnits } = guard;
  const counted = ({ n, active }: ArmSums) => (needsRows.has(definition.kind) ? active : n);
  const [a, b] = [counted(arms.control), counted(arms.treatment)];
  const head = { metric: key, name, tolerance, error: null };
  const control = sampleOf(definition, arms.control);
  const treatment = sampleOf(definition, arms.treatment);
  if (control === undefined || treatment === undefined)
    return {
      ...head,
      verdict: 'too_few_data',
      control: { n: a, mean: null },
      treatment: { n: b, mean: null },
      harm: null,
      bound: null,
    };
  const found = judgeGuard({ control, treatment, direction, tolerance, alpha, guards, minUnits });
  const enough = a >= minUnits && b >= minUnits;
  // Without any variance, as with no error at all, there is nothing to test: what is equal is no regression. A quantile has
  // none if its interval collapsed, which says nothing.
  const isFlat = definition.kind !== 'quantile' && found.bound === undefined && found.harm <= tolerance;
  const verdict = !enough ? 'too_few_data' : isFlat ? 'no_regression' : found.verdict;
  const finite = (value: number | undefined) => (value !== undefined && Number.isFinite(value) ? value : null);
  return {
    ...head,
    verdict,
    control: { n: a, mean: finite(found.control.mean) },
    treatment: { n: b, mean: finite(found.treatment.mean) },
    harm: finite(found.harm),
    bound: finite(found.bound),
  };
}

/** Both arms have the same share of the line at every step, so half of the units is expected in each. */
export function ratioOf(
  arms: Readonly<Record<string, number>>,
  weights: Readonly<Record<string, number>>,
  crossed: number,
): GuardedLook['sample_ratio'] {
  const names = Object.keys(weights);
  const observed = names.map((name) => arms[name] ?? 0);
  const found = sampleRatio(
    observed,
    names.map((name) => weights[name] ?? 0),
  );
  const by = (values: readonly number[]) => Object.fromEntries(names.map((name, i) => [name, values[i] ?? 0]));
  return {
    ok: found.ok,
    p_value: found.pValue,
    chi_squared_p: found.chiSquare,
    observed: by(observed),
    expected: by(found.expected),
    crossed,
  };
}
