import type { Annotations } from '../annotations.ts';
import type { Aggregate, AggregateOperator } from '../ast.ts';
import { type Column, columnOf, isEmpty, setHistogram, type Value } from '../columns.ts';
import type { LabelSets } from '../label-sets.ts';
import type { Work } from '../work.ts';
import { countValues } from './count-values.ts';
import { type Group, groupLabels, groupsOf, sliced, slicesOf } from './groups.ts';
import { checkQuantiles, quantileInto, ranked } from './ranked.ts';
import { countInto, extremeInto, reportHistograms, varianceInto } from './simple.ts';
import { sumInto } from './sums.ts';

export interface AggregateContext {
  readonly steps: number;
  readonly notes: Annotations;
  readonly sets: LabelSets;
  readonly work: Work;
}

const IGNORE_HISTOGRAMS: ReadonlySet<AggregateOperator> = new Set(['min', 'max', 'stddev', 'stdvar', 'quantile']);

export async function aggregated(
  aggregate: Aggregate,
  columns: readonly Column[],
  parameter: Value | undefined,
  { steps, notes, sets, work }: AggregateContext,
): Promise<readonly Column[]> {
  const { op, grouping, of } = aggregate;
  if (op === 'count_values')
    return countValues(columns, parameter?.type === 'string' ? parameter.value : '', grouping, { steps, sets, work });
  const groups = await groupsOf(columns, groupLabels(grouping, sets), work);
  const scalars = parameter?.type === 'scalar' ? parameter.values : new Float64Array(steps);
  if (op === 'topk' || op === 'bottomk') {
    for (const group of groups) reportHistograms(group, op, notes, aggregate.position);
    return ranked(groups, scalars, op, work);
  }
  if (op === 'quantile') checkQuantiles(scalars, notes, aggregate.parameter?.position ?? aggregate.position);
  const results: Column[] = [];
  for (const group of groups) {
    if (IGNORE_HISTOGRAMS.has(op)) reportHistograms(group, op, notes, of.position);
    const out = columnOf(
      group.labels,
      group.columns.some(({ dropsName }) => dropsName),
      steps,
    );
    for (const slice of slicesOf(group, steps)) {
      const to = slice.from + (slice.group.columns[0]?.kinds.length ?? 0);
      const part = sliced(out, slice.from, to);
      aggregateInto(op, slice.group, part, scalars.subarray(slice.from, to), notes, of.position);
      part.histograms?.forEach((histogram, i) => {
        if (histogram !== undefined) setHistogram(out, slice.from + i, histogram);
      });
      if (work.isDue(group.columns.length * (to - slice.from))) await work.pause();
    }
    if (!isEmpty(out)) results.push(out);
  }
  return results;
}

function aggregateInto(
  op: Exclude<AggregateOperator, 'topk' | 'bottomk' | 'count_values'>,
  group: Group,
  out: Column,
  scalars: Float64Array,
  notes: Annotations,
  at: Aggregate['position'],
): void {
  switch (op) {
    case 'sum':
    case 'avg':
      sumInto(group, out, op, notes, at);
      return;
    case 'min':
    case 'max':
      extremeInto(group, out, op);
      return;
    case 'count':
    case 'group':
      countInto(group, out, op);
      return;
    case 'stddev':
    case 'stdvar':
      varianceInto(group, out, op);
      return;
    case 'quantile':
      quantileInto(group, out, scalars);
      return;
  }
}
