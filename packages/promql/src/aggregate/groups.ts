import type { Aggregate } from '../ast.ts';
import type { Column } from '../columns.ts';
import type { LabelSet, LabelSets } from '../label-sets.ts';
import { METRIC_NAME } from '../labels.ts';
import { LABEL_UNITS, type Work } from '../work.ts';

/** The series that become one. */
export interface Group {
  readonly labels: LabelSet;
  readonly columns: Column[];
}

/** The labels of the group of a series. */
export function groupLabels(grouping: Aggregate['grouping'], sets: LabelSets): (set: LabelSet) => LabelSet {
  const labels = new Set(grouping?.labels);
  if (grouping?.mode === 'without')
    return (set) => sets.filtered(set, (name) => !labels.has(name) && name !== METRIC_NAME);
  if (labels.size === 0) return () => sets.empty;
  return (set) => sets.filtered(set, (name) => labels.has(name));
}

export async function groupsOf(
  columns: readonly Column[],
  labelsOf: (set: LabelSet) => LabelSet,
  work: Work,
): Promise<Group[]> {
  const groups = new Map<LabelSet, Group>();
  for (const column of columns) {
    const labels = labelsOf(column.labels);
    const group = groups.get(labels);
    if (group === undefined) groups.set(labels, { labels, columns: [column] });
    else group.columns.push(column);
    if (work.isDue(LABEL_UNITS)) await work.pause();
  }
  return [...groups.values()];
}

/** How many values are aggregated without a pause. */
const SLICE = 200_000;

/** The parts of a group that are aggregated one after another: a few of its steps each. */
export function slicesOf(
  { labels, columns }: Group,
  steps: number,
): { readonly from: number; readonly group: Group }[] {
  const length = Math.max(1, Math.floor(SLICE / columns.length));
  if (length >= steps) return [{ from: 0, group: { labels, columns } }];
  const slices: { from: number; group: Group }[] = [];
  for (let from = 0; from < steps; from += length)
    slices.push({ from, group: { labels, columns: columns.map((column) => sliced(column, from, from + length)) } });
  return slices;
}

/** A view of some steps of a column. */
export function sliced(column: Column, from: number, to: number): Column {
  return {
    ...column,
    kinds: column.kinds.subarray(from, to),
    values: column.values.subarray(from, to),
    histograms: column.histograms?.slice(from, to),
  };
}
