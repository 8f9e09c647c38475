import type { AlertDefinition } from '@fanion/contract';
import type { ResultColumn, ResultValue } from '@fanion/oql';
import type { Labels, Sample } from './step-rules.ts';

/** Comparisons of a condition, as IEEE 754 has them: with NaN, only `!=` holds. */
const comparisons = {
  '>': (value: number, threshold: number) => value > threshold,
  '>=': (value: number, threshold: number) => value >= threshold,
  '<': (value: number, threshold: number) => value < threshold,
  '<=': (value: number, threshold: number) => value <= threshold,
  '==': (value: number, threshold: number) => value === threshold,
  '!=': (value: number, threshold: number) => value !== threshold,
} as const;
export type Comparison = keyof typeof comparisons;

export function holds(op: Comparison, value: number, threshold: number): boolean {
  return comparisons[op](value, threshold);
}

const maxLabelCharacters = 1_024;

/** The columns of a query that are an instance's labels, and the one that is its value. */
export interface Shape {
  readonly keys: readonly string[];
  readonly value: string;
}

/** Why a query cannot be a rule's, with what to write instead. */
export type ShapeProblem = 'no_number' | 'several_numbers' | 'time';

/**
 * The value of a row is its column `value`, else its only number that is not a key; the keys become labels.
 * @param keys columns that the query groups by
 */
export function shapeOf(columns: readonly ResultColumn[], keys: readonly string[]): Shape | ShapeProblem {
  const isKey = new Set(keys);
  if (columns.some(({ name, type }) => isKey.has(name) && type === 'timestamp')) return 'time';
  const numbers = columns.filter(({ name, type }) => !isKey.has(name) && isNumber(type));
  const named = numbers.find(({ name }) => name === 'value');
  const value = named ?? (numbers.length === 1 ? numbers[0] : undefined);
  if (value !== undefined) return { keys, value: value.name };
  return numbers.length === 0 ? 'no_number' : 'several_numbers';
}

function isNumber(type: ResultColumn['type']): boolean {
  return type === 'int' || type === 'float' || type === 'duration' || type === 'bytes' || type === 'any';
}

export interface SampleProblem {
  readonly problem: 'duplicate';
  readonly labels: Labels;
}

/** One row of an answer, by instance. */
export interface Row {
  readonly identity: string;
  readonly labels: Labels;
  readonly value: number | null;
}

/** The rows of an answer by instance. Two rows of one identity are a problem that fails the evaluation. */
export function rowsOf(
  { keys, value }: Shape,
  columns: readonly ResultColumn[],
  rows: readonly (readonly ResultValue[])[],
  ruleLabels: Labels,
): readonly Row[] | SampleProblem {
  const places = keys.map((name) => ({ name, at: columns.findIndex((column) => column.name === name) }));
  const valueAt = columns.findIndex(({ name }) => name === value);
  const found = rows.map((row) => ({
    labels: places.map(({ name, at }) => [name, row[at] ?? null] as const),
    value: numberOf(row[valueAt] ?? null),
  }));
  return distinctRows(found, ruleLabels);
}

/** Rows by instance, with the labels of the rule. */
export function distinctRows(
  rows: readonly {
    readonly labels: readonly (readonly [name: string, value: ResultValue])[];
    readonly value: number | null;
  }[],
  ruleLabels: Labels,
): readonly Row[] | SampleProblem {
  const found = new Map<string, Row>();
  for (const { labels: named, value } of rows) {
    const own = named.map(([name, label]) => [name, labelText(label)] as const).filter(([, text]) => text !== '');
    const labels = { ...Object.fromEntries(own), ...ruleLabels };
    const identity = identityOf(labels);
    if (found.has(identity)) return { problem: 'duplicate', labels };
    found.set(identity, { identity, labels, value });
  }
  return [...found.values()];
}

/** The same text for equal labels, in whatever order they come. */
export function identityOf(labels: Labels): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return JSON.stringify(sorted);
}

/** A missing label and an empty one are the same, as in Prometheus. */
function labelText(value: ResultValue): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.slice(0, maxLabelCharacters);
}

/** Numbers that JSON cannot hold come as texts: large integers, `NaN`, `Infinity`. */
function numberOf(value: ResultValue): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value === '') return null;
  const number = Number(value);
  return Number.isNaN(number) && value !== 'NaN' ? null : number;
}

export type ConditionOf =
  | { readonly kind: 'threshold'; readonly op: Comparison; readonly threshold: number }
  /** Each row is an alert: the expression compares. */
  | { readonly kind: 'row' }
  | { readonly kind: 'absence' };

export function conditionOf({ kind, condition: { op, threshold } }: AlertDefinition): ConditionOf {
  if (kind === 'absence') return { kind };
  return op === undefined || threshold === undefined ? { kind: 'row' } : { kind: 'threshold', op, threshold };
}

/** Which instances the condition holds for. Of an absence, the rule itself is the only instance. */
export function samplesOf(condition: ConditionOf, rows: readonly Row[], ruleLabels: Labels): readonly Sample[] {
  if (condition.kind === 'absence') {
    const seen = rows.filter(({ value }) => value !== null).length;
    return [{ identity: identityOf(ruleLabels), labels: ruleLabels, value: seen, holds: seen === 0 }];
  }
  return rows.map((row) => ({
    ...row,
    holds: row.value !== null && (condition.kind === 'row' || holds(condition.op, row.value, condition.threshold)),
  }));
}

/** For `kind: change`: how each row differs from the row of the same instance in the window before. */
export function changesOf(as: 'difference' | 'ratio', now: readonly Row[], before: readonly Row[]): readonly Row[] {
  const earlier = new Map(before.map(({ identity, value }) => [identity, value]));
  return now.map((row) => {
    const past = earlier.get(row.identity) ?? null;
    if (row.value === null || past === null) return { ...row, value: null };
    return { ...row, value: as === 'difference' ? row.value - past : (row.value - past) / past };
  });
}
