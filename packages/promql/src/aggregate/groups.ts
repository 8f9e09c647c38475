import type { Aggregate } from '../ast.ts';
import type { Column } from '../columns.ts';
import type { LabelSet, LabelSets } from '../label-sets.ts';
import { METRIC_NAME } from '../labels.ts';

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

export function groupsOf(columns: readonly Column[], labelsOf: (set: LabelSet) => LabelSet): Group[] {
  const groups = new Map<LabelSet, Group>();
  for (const column of columns) {
    const labels = labelsOf(column.labels);
    const group = groups.get(labels);
    if (group === undefined) groups.set(labels, { labels, columns: [column] });
    else group.columns.push(column);
  }
  return [...groups.values()];
}
