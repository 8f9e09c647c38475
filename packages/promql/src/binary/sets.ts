import type { SetOperator, VectorMatching } from '../ast.ts';
import { ABSENT, type Column, columnOf, copyPoint, isEmpty, merged } from '../columns.ts';
import type { LabelSets } from '../label-sets.ts';
import type { Work } from '../work.ts';
import { anyOf, matchGroups, signatureOf } from './matching.ts';

/** `and`, `or`, `unless`: which series of each side remain at which step. */
export async function setOperation(
  op: SetOperator,
  matching: VectorMatching | undefined,
  left: readonly Column[],
  right: readonly Column[],
  sets: LabelSets,
  work: Work,
): Promise<readonly Column[]> {
  const steps = (left[0] ?? right[0])?.kinds.length ?? 0;
  const kept = new Map<Column, Column>();
  for (const group of await matchGroups(left, right, signatureOf(sets, matching), work)) {
    if (op === 'or') {
      const taken = anyOf(group.left, steps);
      for (const column of group.right)
        kept.set(
          column,
          masked(column, (step) => taken[step] === 0),
        );
    } else {
      const present = anyOf(group.right, steps);
      const wanted = op === 'and' ? 1 : 0;
      for (const column of group.left)
        kept.set(
          column,
          masked(column, (step) => present[step] === wanted),
        );
    }
  }
  const columns =
    op === 'or'
      ? [...left, ...right.map((column) => kept.get(column) ?? column)]
      : left.map((column) => kept.get(column) ?? column);
  return merged(columns.filter((column) => !isEmpty(column)));
}

function masked(column: Column, keeps: (step: number) => boolean): Column {
  const { kinds, labels, dropsName } = column;
  const out = columnOf(labels, dropsName, kinds.length);
  for (let step = 0; step < kinds.length; step++)
    if (kinds[step] !== ABSENT && keeps(step)) copyPoint(column, step, out);
  return out;
}
