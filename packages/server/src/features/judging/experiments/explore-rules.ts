import type { ExperimentDefinition, ExperimentInteraction, ExperimentMetric } from '@fanion/contract';
import { effects, heterogeneity, holm, sequentialTest } from '@fanion/stats';
import type { Measurement } from '../metrics/index.ts';
import { armsOfSlice, sampleOf } from './sample-rules.ts';

export type FoundInteraction = Omit<ExperimentInteraction, 'p_value_adjusted' | 'significant'>;

/** The effects of each variant by the arm of another experiment, and whether they differ by more than chance. */
export function interactionOf(
  experiment: ExperimentInteraction['experiment'],
  { key, name, definition: metric }: Pick<ExperimentMetric, 'key' | 'name' | 'definition'>,
  measured: Measurement | undefined,
  { control, variants, analysis }: Pick<ExperimentDefinition, 'control' | 'variants' | 'analysis'>,
  otherArms: readonly string[],
): FoundInteraction {
  const names = variants.map(({ variant }) => variant);
  const treatments = names.filter((variant) => variant !== control);
  const rows: FoundInteraction['effects'] = [];
  const tested: number[] = [];
  let units = 0;
  for (const variant of treatments) {
    const cells: { difference: number; standardError: number }[] = [];
    for (const other of otherArms) {
      if (measured === undefined || 'error' in measured) continue;
      const arms = armsOfSlice(measured.sums, names, other);
      const of = (name: string) => arms.find((one) => one.variant === name);
      const [a, b] = [of(control), of(variant)];
      if (a === undefined || b === undefined) continue;
      if (variant === treatments[0]) units += arms.reduce((sum, { n }) => sum + n, 0);
      const found =
        a.n > 1 && b.n > 1 ? effects(sampleOf(metric, a, false), sampleOf(metric, b, false))?.absolute : undefined;
      if (found !== undefined) cells.push(found);
      rows.push({
        variant,
        other_variant: other,
        n: a.n + b.n,
        difference: found?.difference ?? null,
        interval: found === undefined ? null : sequentialTest(found, analysis.alpha).interval,
      });
    }
    const pValue = cells.length === otherArms.length ? heterogeneity(cells)?.pValue : undefined;
    if (pValue !== undefined) tested.push(pValue);
  }
  // The variants share a control, so their tests depend on each other: the least counts, times their number.
  const least = tested.length === 0 ? null : Math.min(1, Math.min(...tested) * tested.length);
  return { experiment, metric: { key, name }, units, effects: rows, p_value: least };
}

/** Among all pairs some differ by chance. */
export function correctInteractions(found: readonly FoundInteraction[], alpha: number): ExperimentInteraction[] {
  const tested = found.filter(({ p_value }) => p_value !== null);
  const adjusted = holm(tested.map(({ p_value }) => p_value ?? 1));
  return found.map((one) => {
    const at = tested.indexOf(one);
    const corrected = at === -1 ? null : (adjusted[at] ?? 1);
    return { ...one, p_value_adjusted: corrected, significant: corrected !== null && corrected < alpha };
  });
}
