import { PromqlError } from './error.ts';
import type { NativeHistogram } from './histogram/native-histogram.ts';
import type { LabelSet } from './label-sets.ts';
import type { Work } from './work.ts';

/** What a series has at a step. */
export const ABSENT = 0;
export const FLOAT = 1;
export const HISTOGRAM = 2;

/** One series of an instant vector at each step. */
export interface Column {
  readonly labels: LabelSet;
  /** The name of the metric no longer fits; it is removed at the end of the evaluation. */
  readonly dropsName: boolean;
  /** {@link ABSENT}, {@link FLOAT} or {@link HISTOGRAM}. */
  readonly kinds: Uint8Array;
  readonly values: Float64Array;
  histograms: (NativeHistogram | undefined)[] | undefined;
}

export function columnOf(labels: LabelSet, dropsName: boolean, steps: number): Column {
  return {
    labels,
    dropsName,
    kinds: new Uint8Array(steps),
    values: new Float64Array(steps),
    histograms: undefined,
  };
}

export function setFloat(column: Column, step: number, value: number): void {
  column.kinds[step] = FLOAT;
  column.values[step] = value;
}

export function setHistogram(column: Column, step: number, histogram: NativeHistogram): void {
  column.kinds[step] = HISTOGRAM;
  column.histograms ??= [];
  column.histograms[step] = histogram;
}

export function isEmpty({ kinds }: Column): boolean {
  return !kinds.some((kind) => kind !== ABSENT);
}

/** Undefined for a column without values. */
export function unlessEmpty(column: Column): Column | undefined {
  return isEmpty(column) ? undefined : column;
}

/** What an expression evaluates to over a grid. */
export type Value =
  | { readonly type: 'scalar'; readonly values: Float64Array }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'vector'; readonly columns: readonly Column[] };

/** The columns of a vector while they are computed: one for each set of labels. */
export class Columns {
  readonly #steps: number;
  readonly #work: Work;
  readonly #columns = new Map<LabelSet, Column>();

  constructor(steps: number, work: Work) {
    this.#steps = steps;
    this.#work = work;
  }

  for(labels: LabelSet, dropsName: boolean): Column {
    let column = this.#columns.get(labels);
    if (column === undefined) {
      this.#work.checkPoints((this.#columns.size + 1) * this.#steps);
      column = columnOf(labels, dropsName, this.#steps);
      this.#columns.set(labels, column);
    }
    return column;
  }

  all(): Column[] {
    return [...this.#columns.values()].filter((column) => !isEmpty(column));
  }
}

/**
 * With one column for each set of labels. Series that follow each other become one, but not where the name of one will be removed, after which their labels
 * differ.
 */
export function merged(columns: readonly Column[]): readonly Column[] {
  const [kept, nameless] = [new Map<LabelSet, Column>(), new Map<LabelSet, Column>()];
  for (const column of columns) {
    const known = column.dropsName ? nameless : kept;
    const first = known.get(column.labels);
    known.set(column.labels, first === undefined ? column : joined(first, column));
  }
  if (kept.size + nameless.size === columns.length) return columns;
  return [...kept.values(), ...nameless.values()];
}

function joined(first: Column, second: Column): Column {
  const column = columnOf(first.labels, first.dropsName, first.kinds.length);
  for (let step = 0; step < column.kinds.length; step++) {
    if (first.kinds[step] !== ABSENT && second.kinds[step] !== ABSENT) throw duplicateLabels();
    copyPoint(first.kinds[step] === ABSENT ? second : first, step, column);
  }
  return column;
}

export function copyPoint(from: Column, step: number, to: Column): void {
  const histogram = from.histograms?.[step];
  if (from.kinds[step] === FLOAT) setFloat(to, step, from.values[step] ?? 0);
  else if (from.kinds[step] === HISTOGRAM && histogram !== undefined) setHistogram(to, step, histogram);
}

export function duplicateLabels(): PromqlError {
  return new PromqlError('execution', 'vector cannot contain metrics with the same labelset');
}
