import type { MetricDefinition, SampleRatio } from '@fanion/contract';
import { estimate, type Sample, sampleRatio } from '@fanion/stats';
import type { ArmSums } from './measure.ts';

/** The sums of an arm in the form of the tests; undefined where there is nothing to judge. */
export function sampleOf(metric: MetricDefinition, sums: ArmSums): Sample | undefined {
  const { n, x, xx, y, yy, xy, active, events, rows, quantile } = sums;
  switch (metric.kind) {
    case 'conversion':
    case 'retention':
    case 'funnel':
      return { kind: 'proportion', n, x };
    case 'count':
    case 'sum':
      return { kind: 'mean', n, x, xx, events };
    case 'mean':
    case 'ratio':
      return y === 0 ? undefined : { kind: 'ratio', n, x, xx, y, yy, xy, events };
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

/** The metric's value for an arm; null where nothing is known. */
export function armValue(metric: MetricDefinition, sums: ArmSums): number | null {
  const sample = sums.n === 0 ? undefined : sampleOf(metric, sums);
  if (sample === undefined) return null;
  const { plain } = estimate(sample);
  return Number.isFinite(plain) ? plain : null;
}

/** Whether the units of the arms are divided as their weights are. */
export function ratioOf(
  arms: Readonly<Record<string, number>>,
  weights: Readonly<Record<string, number>>,
  crossed: number,
): SampleRatio {
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

/** The sums of two parts of the units of an arm; undefined only if both are. Quantiles cannot be added. */
export function addSums(one: ArmSums | undefined, other: ArmSums | undefined): ArmSums | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const add = (key: Exclude<keyof ArmSums, 'variant' | 'slice' | 'quantile'>) => one[key] + other[key];
  return {
    variant: one.variant,
    slice: '',
    quantile: null,
    ...{ n: add('n'), x: add('x'), xx: add('xx'), y: add('y'), yy: add('yy'), xy: add('xy') },
    ...{ p: add('p'), pp: add('pp'), px: add('px'), py: add('py'), pq: add('pq') },
    ...{ q: add('q'), qq: add('qq'), qx: add('qx'), qy: add('qy') },
    ...{ active: add('active'), events: add('events'), rows: add('rows'), skipped: add('skipped') },
  };
}
