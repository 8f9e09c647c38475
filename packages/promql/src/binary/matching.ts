import type { VectorMatching } from '../ast.ts';
import { ABSENT, type Column, Columns, columnOf, copyPoint } from '../columns.ts';
import { PromqlError } from '../error.ts';
import { type LabelSet, type LabelSets, labelOf, labelsText } from '../label-sets.ts';
import { METRIC_NAME } from '../labels.ts';
import { LABEL_UNITS, type Work } from '../work.ts';
import { ARITHMETIC, changesMeaning, type Operation, operate, sideOf } from './operators.ts';

/** The series of both sides that have the same matching labels. */
export interface MatchGroup {
  readonly signature: LabelSet;
  readonly left: Column[];
  readonly right: Column[];
}

/** Without `on`, the name of the metric does not count. */
export function signatureOf(sets: LabelSets, matching: VectorMatching | undefined): (set: LabelSet) => LabelSet {
  const labels = new Set(matching?.labels);
  const keeps =
    matching?.mode === 'on'
      ? (name: string) => labels.has(name)
      : (name: string) => !labels.has(name) && name !== METRIC_NAME;
  return (set) => sets.filtered(set, keeps);
}

export async function matchGroups(
  left: readonly Column[],
  right: readonly Column[],
  signature: (set: LabelSet) => LabelSet,
  work: Work,
): Promise<MatchGroup[]> {
  const groups = new Map<LabelSet, MatchGroup>();
  for (const [side, columns] of [['left', left] as const, ['right', right] as const])
    for (const column of columns) {
      const key = signature(column.labels);
      let group = groups.get(key);
      if (group === undefined) {
        group = { signature: key, left: [], right: [] };
        groups.set(key, group);
      }
      group[side].push(column);
      if (work.isDue(LABEL_UNITS)) await work.pause();
    }
  return [...groups.values()];
}

/** Arithmetic and comparisons of two vectors. */
export async function matched(
  operation: Operation,
  matching: VectorMatching | undefined,
  left: readonly Column[],
  right: readonly Column[],
  sets: LabelSets,
  work: Work,
): Promise<Column[]> {
  const steps = (left[0] ?? right[0])?.kinds.length ?? 0;
  const side = matching?.group?.side;
  const out = new Columns(steps, work);
  const labels = resultLabels(operation, matching, sets);
  const hasLeft = anyOf(left, steps);
  const hasRight = anyOf(right, steps);
  const isEvaluated = (step: number) => hasLeft[step] === 1 && hasRight[step] === 1;
  for (const group of await matchGroups(left, right, signatureOf(sets, matching), work)) {
    // The "one" side of a group_right is the left one.
    const [many, one] = side === 'right' ? [group.right, group.left] : [group.left, group.right];
    checkOneSide(one, steps, isEvaluated, group.signature, side === 'right' ? 'left' : 'right');
    const ones = succeeding(one, matching, sets);
    const pairs = many.flatMap((of) => ones.map((with_) => ({ many: of, one: with_ })));
    const taken = new Map<LabelSet, Uint8Array>();
    for (const pair of pairs) {
      const set = labels(namedLabels(pair.many, sets), namedLabels(pair.one, sets));
      const column = out.for(set, operation.bool);
      // One-to-one, all results of a group count as the same.
      const key = side === undefined ? group.signature : set;
      let matchedSteps = taken.get(key);
      if (matchedSteps === undefined) {
        matchedSteps = new Uint8Array(steps);
        taken.set(key, matchedSteps);
      }
      combine(operation, pair, side, column, matchedSteps);
      if (work.isDue(steps + LABEL_UNITS)) await work.pause();
    }
  }
  return out.all();
}

/** A name that a function has dropped does not come back in a comparison, which keeps names. */
function namedLabels({ labels, dropsName }: Column, sets: LabelSets): LabelSet {
  return dropsName ? sets.nameless(labels) : labels;
}

function combine(
  operation: Operation,
  { many, one }: { readonly many: Column; readonly one: Column },
  side: 'left' | 'right' | undefined,
  column: Column,
  matchedSteps: Uint8Array,
): void {
  const [left, right] = side === 'right' ? [one, many] : [many, one];
  const calculate =
    left.histograms === undefined && right.histograms === undefined ? ARITHMETIC.get(operation.op) : undefined;
  for (let step = 0; step < column.kinds.length; step++) {
    if (many.kinds[step] === ABSENT || one.kinds[step] === ABSENT) continue;
    if (matchedSteps[step] === 1)
      throw new PromqlError(
        'execution',
        side === undefined
          ? 'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)'
          : 'multiple matches for labels: grouping labels must ensure unique matches',
      );
    matchedSteps[step] = 1;
    if (column.kinds[step] !== ABSENT)
      throw new PromqlError('execution', 'vector cannot contain metrics with the same labelset');
    if (calculate !== undefined) {
      column.kinds[step] = 1;
      column.values[step] = calculate(left.values[step] ?? 0, right.values[step] ?? 0);
    } else operate(operation, sideOf(left, step), sideOf(right, step), step, column, left);
  }
}

/** Series of the "one" side that follow each other as one, unless labels that a result takes from them differ. */
function succeeding(one: readonly Column[], matching: VectorMatching | undefined, sets: LabelSets): readonly Column[] {
  if (one.length < 2) return one;
  const include = new Set(matching?.group?.include);
  const joined = new Map<LabelSet, Column>();
  for (const column of one) {
    const taken = sets.filtered(column.labels, (name) => include.has(name));
    let out = joined.get(taken);
    if (out === undefined) {
      out = columnOf(column.labels, column.dropsName, column.kinds.length);
      joined.set(taken, out);
    }
    for (let step = 0; step < column.kinds.length; step++)
      if (column.kinds[step] !== ABSENT) copyPoint(column, step, out);
  }
  return [...joined.values()];
}

export function anyOf(columns: readonly Column[], steps: number): Uint8Array {
  const any = new Uint8Array(steps);
  for (const { kinds } of columns) for (let step = 0; step < steps; step++) if (kinds[step] !== ABSENT) any[step] = 1;
  return any;
}

/** Two series of the "one" side must not have the same matching labels at the same time. */
function checkOneSide(
  one: readonly Column[],
  steps: number,
  isEvaluated: (step: number) => boolean,
  signature: LabelSet,
  name: 'left' | 'right',
): void {
  if (one.length < 2) return;
  for (let step = 0; step < steps; step++) {
    const present = one.filter(({ kinds }) => kinds[step] !== ABSENT);
    if (present.length < 2 || !isEvaluated(step)) continue;
    const [first = '', second = ''] = present.map(({ labels }) => labelsText(labels.labels)).sort();
    throw new PromqlError(
      'execution',
      `found duplicate series for the match group ${labelsText(signature.labels)} on the ${name} hand-side of the operation: [${first}, ${second}];many-to-many matching not allowed: matching labels must be unique on one side`,
    );
  }
}

/** The labels of a result, remembered for each pair. */
function resultLabels(
  operation: Operation,
  matching: VectorMatching | undefined,
  sets: LabelSets,
): (many: LabelSet, one: LabelSet) => LabelSet {
  const labels = new Set(matching?.labels);
  const dropsName = changesMeaning(operation.op, false);
  return (many, one) => {
    let result = dropsName ? sets.nameless(many) : many;
    if (matching?.group === undefined)
      result = sets.filtered(result, (name) => labels.has(name) === (matching?.mode === 'on'));
    for (const name of matching?.group?.include ?? []) result = sets.with(result, name, labelOf(one, name));
    return result;
  };
}
