import type { Aggregate } from '../ast.ts';
import { ABSENT, type Column, Columns, setFloat } from '../columns.ts';
import { PromqlError } from '../error.ts';
import { histogramText } from '../histogram/text.ts';
import type { LabelSets } from '../label-sets.ts';
import { isLabelName } from '../labels.ts';
import { decimalText } from '../numbers.ts';
import { LABEL_UNITS, type Work } from '../work.ts';
import { groupLabels } from './groups.ts';

/** How many series have each value, which becomes a label. */
export async function countValues(
  columns: readonly Column[],
  label: string,
  grouping: Aggregate['grouping'],
  { steps, sets, work }: { readonly steps: number; readonly sets: LabelSets; readonly work: Work },
): Promise<Column[]> {
  if (!isLabelName(label)) throw new PromqlError('execution', `invalid label name ${JSON.stringify(label)}`);
  const out = new Columns(steps, work);
  const by =
    grouping?.mode === 'without' ? grouping : { mode: 'by' as const, labels: [...(grouping?.labels ?? []), label] };
  const labelsOf = groupLabels(by, sets);
  for (const { kinds, values, histograms, labels } of columns)
    for (let step = 0; step < steps; step++) {
      if (kinds[step] === ABSENT) continue;
      const histogram = histograms?.[step];
      const text = histogram === undefined ? decimalText(values[step] ?? 0) : histogramText(histogram);
      const column = out.for(labelsOf(sets.with(labels, label, text)), false);
      setFloat(column, step, (column.values[step] ?? 0) + 1);
      if (work.isDue(2 * LABEL_UNITS)) await work.pause();
    }
  return out.all();
}
