import type { Expression } from '../ast.ts';
import { ABSENT, type Column, columnOf, isEmpty, setFloat } from '../columns.ts';
import type { LabelSet, LabelSets } from '../label-sets.ts';
import { METRIC_NAME } from '../labels.ts';

/** 1 at the steps where no series has a value. */
export function absentColumns(columns: readonly Column[], labels: LabelSet, steps: number): Column[] {
  const out = columnOf(labels, true, steps);
  for (let step = 0; step < steps; step++)
    if (!columns.some(({ kinds }) => kinds[step] !== ABSENT)) setFloat(out, step, 1);
  return isEmpty(out) ? [] : [out];
}

/** The labels that a selector asks for by one equality. */
export function absentLabels(argument: Expression, sets: LabelSets): LabelSet {
  if (argument.kind === 'parentheses') return absentLabels(argument.of, sets);
  if (argument.kind !== 'selector') return sets.empty;
  const labels = new Map<string, string>();
  const seen = new Set<string>();
  for (const { name, op, value } of argument.matchers) {
    if (name === METRIC_NAME) continue;
    if (op === '=' && !seen.has(name)) labels.set(name, value);
    else labels.delete(name);
    if (op === '=') seen.add(name);
  }
  return sets.of(labels);
}
