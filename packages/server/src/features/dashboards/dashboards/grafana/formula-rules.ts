import { type Fields, fieldsOf, listOf, textOf } from './classic-rules.ts';
import { type Difference, mathInPromql, NoEqual, type Promql, promql } from './math-rules.ts';

/** Longer formulas are not read. */
const longestFormula = 1_000;
/** Formulas over formulas. */
const deepestFormula = 10;
/** Names of queries and formulas that are written for one formula. */
const mostNames = 100;

/** The type of the data source of a query; empty if none is named. */
export function sourceOf(panel: Fields, target: Fields): string {
  return textOf(fieldsOf(target.datasource).type) || textOf(fieldsOf(panel.datasource).type);
}

export function isFormula(panel: Fields, target: Fields): boolean {
  return sourceOf(panel, target) === '__expr__';
}

export interface FormulaQuery {
  readonly expr: string;
  /** What differs from Grafana's answer. */
  readonly losses: readonly string[];
}

const WORDS: Readonly<Record<Difference | 'steps', string>> = {
  labels: 'its formula joins only series with equal labels',
  nan: 'its formula compares NaN as a number, which makes 0 or 1 of it',
  steps:
    'its reduction leaves out the first step of the time range, and NaN where it looks for the least, greatest or median value',
};

/** Writes a formula as one expression in PromQL; undefined: it has no equal there. */
export type WriteFormula = (formula: Fields) => FormulaQuery | undefined;

/**
 * Writes formulas over queries of a panel in PromQL, with the queries in place of their names: arithmetic, comparisons, `&&`, `||`, `!`,
 * functions, reductions and thresholds.
 * @param targets all queries of the panel, hidden ones too
 */
export function formulasOf(panel: Fields, targets: readonly Fields[]): WriteFormula {
  const byName = new Map(targets.map((target) => [textOf(target.refId), target]));
  return (formula) => {
    const writing = { panel, byName, differences: new Set<keyof typeof WORDS>(), names: 0 };
    try {
      const { text, isScalar } = formulaInPromql(writing, formula, [formula]);
      // It has no query.
      if (isScalar) return undefined;
      return { expr: text, losses: [...writing.differences].map((difference) => WORDS[difference]) };
    } catch (error) {
      if (error instanceof NoEqual) return undefined;
      throw error;
    }
  };
}

interface Writing {
  readonly panel: Fields;
  readonly byName: ReadonlyMap<string, Fields>;
  readonly differences: Set<keyof typeof WORDS>;
  /** Names that were followed. */
  names: number;
}

/** @param around the formulas that it is part of, itself included */
function formulaInPromql(writing: Writing, formula: Fields, around: readonly Fields[]): Promql {
  const text = textOf(formula.expression).trim();
  if (text.length > longestFormula || around.length > deepestFormula) throw new NoEqual();
  const named = (name: string): Promql => {
    const found = writing.byName.get(name);
    if (found === undefined || around.includes(found) || ++writing.names > mostNames) throw new NoEqual();
    return isFormula(writing.panel, found)
      ? formulaInPromql(writing, found, [...around, found])
      : queryInPromql(writing, found);
  };
  if (formula.type === 'math') return mathInPromql(text, named, writing.differences);
  // Old versions wrote a dollar sign.
  const argument = named(text.replace(/^\$/, ''));
  if (formula.type === 'threshold') return threshold(formula, argument);
  if (formula.type !== 'reduce') throw new NoEqual();
  writing.differences.add('steps');
  return reduction(formula, argument);
}

function queryInPromql(writing: Writing, target: Fields): Promql {
  const expr = textOf(target.expr);
  if (!['', 'prometheus'].includes(sourceOf(writing.panel, target)) || expr === '') throw new NoEqual();
  // The line break ends a comment.
  return promql(`(${expr}\n)`);
}

const REDUCERS: Readonly<Record<string, (range: string) => string>> = {
  sum: (range) => `sum_over_time(${range})`,
  mean: (range) => `avg_over_time(${range})`,
  min: (range) => `min_over_time(${range})`,
  max: (range) => `max_over_time(${range})`,
  count: (range) => `count_over_time(${range})`,
  last: (range) => `last_over_time(${range})`,
  median: (range) => `quantile_over_time(0.5, ${range})`,
};

/** One number of each series, at every step. Without numbers in the mode `dropNN`. */
function reduction({ reducer, settings }: Fields, { text, isScalar }: Promql): Promql {
  const mode = textOf(fieldsOf(settings).mode);
  const name = textOf(reducer);
  const reduce = Object.hasOwn(REDUCERS, name) ? REDUCERS[name] : undefined;
  if (reduce === undefined || isScalar || !['', 'strict', 'dropNN'].includes(mode)) throw new NoEqual();
  const numbers = mode === 'dropNN' ? `(${text} and (${text} - ${text} == 0))` : text;
  return promql(reduce(`${numbers}[$__range:$__interval] @ end()`));
}

const THRESHOLDS: Readonly<Record<string, (x: string, low: string, high: string) => string>> = {
  gt: (x, low) => `(${x} > bool ${low})`,
  gte: (x, low) => `(${x} >= bool ${low})`,
  lt: (x, low) => `(${x} < bool ${low})`,
  lte: (x, low) => `(${x} <= bool ${low})`,
  eq: (x, low) => `(${x} == bool ${low})`,
  ne: (x, low) => `(${x} != bool ${low})`,
  within_range: (x, low, high) => `((${x} > bool ${low}) * (${x} < bool ${high}))`,
  within_range_included: (x, low, high) => `((${x} >= bool ${low}) * (${x} <= bool ${high}))`,
  outside_range: (x, low, high) => `((${x} < bool ${low}) + (${x} > bool ${high}) > bool 0)`,
  outside_range_included: (x, low, high) => `((${x} <= bool ${low}) + (${x} >= bool ${high}) > bool 0)`,
};

/** 1 beyond a threshold, else 0. One with a second threshold for the way back depends on earlier values. */
function threshold({ conditions }: Fields, { text, isScalar }: Promql): Promql {
  const [condition, ...others] = listOf(conditions);
  if (condition === undefined || others.length > 0 || fieldsOf(condition).unloadEvaluator) throw new NoEqual();
  const { type, params } = fieldsOf(fieldsOf(condition).evaluator);
  const name = textOf(type);
  const written = Object.hasOwn(THRESHOLDS, name) ? THRESHOLDS[name] : undefined;
  const [low, high] = Array.isArray(params) ? params : [];
  const isComplete = typeof low === 'number' && (typeof high === 'number' || !name.includes('range'));
  if (written === undefined || !isComplete) throw new NoEqual();
  return promql(written(text, String(low), String(high)), isScalar);
}
