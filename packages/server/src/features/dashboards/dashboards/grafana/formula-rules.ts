import { type Fields, fieldsOf, textOf } from './classic-rules.ts';

/** Longer formulas are not read. */
const longestFormula = 1_000;
/** Arithmetic that has the same meaning in PromQL. */
const arithmetic = /^(?:\$\{?[A-Za-z]\w*\}?|[\d.]+|[-+*/%()\s])+$/;
const reference = /\$(?:\{([A-Za-z]\w*)\}|([A-Za-z]\w*))/g;

/** The type of the data source of a query; empty if none is named. */
export function sourceOf(panel: Fields, target: Fields): string {
  return textOf(fieldsOf(target.datasource).type) || textOf(fieldsOf(panel.datasource).type);
}

export function isFormula(panel: Fields, target: Fields): boolean {
  return sourceOf(panel, target) === '__expr__';
}

/**
 * A formula over queries of a panel as one expression in PromQL, with the queries written in place of their names. Grafana also joins
 * series whose labels are a part of the other's; PromQL only those with equal labels.
 * @param targets all queries of the panel, hidden ones too
 * @returns undefined for what is no arithmetic over queries in PromQL
 */
export function formulaQuery(panel: Fields, formula: Fields, targets: readonly Fields[]): string | undefined {
  const text = textOf(formula.expression);
  const isArithmetic = text.length <= longestFormula && arithmetic.test(text) && !text.includes('**');
  if (textOf(formula.type) !== 'math' || !isArithmetic) return undefined;
  const queries = new Map(
    targets
      .filter((target) => ['', 'prometheus'].includes(sourceOf(panel, target)) && textOf(target.expr) !== '')
      .map((target) => [textOf(target.refId), textOf(target.expr)]),
  );
  const names = [...text.matchAll(reference)].map(([, braced, plain]) => braced ?? plain ?? '');
  if (names.length === 0 || names.some((name) => !queries.has(name))) return undefined;
  // The line break ends a comment.
  return text.replace(reference, (_, braced?: string, plain?: string) => `(${queries.get(braced ?? plain ?? '')}\n)`);
}
