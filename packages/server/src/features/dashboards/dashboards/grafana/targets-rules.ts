import type { DashboardPanel } from '@fanion/contract';
import { PromqlError, parsePromql } from '@fanion/promql';
import { bindPromql, variablesInPromql } from '../promql-rules.ts';
import { boundVariables } from '../variable-rules.ts';
import { type Fields, listOf, textOf } from './classic-rules.ts';
import { formulasOf, isFormula, sourceOf, type WriteFormula } from './formula-rules.ts';

/** The queries of a panel in PromQL; `lost`: why the panel is lost. */
export type KeptTargets =
  | Pick<DashboardPanel, 'query' | 'query_language' | 'series_name' | 'more_queries'>
  | { readonly lost: string };

const longestQuery = 65_536;
const longestName = 1_000;
const mostQueries = 26;
/** Longer expressions are checked when the panel is loaded. */
const longestChecked = 8_192;

/** The variables that Grafana makes itself, as far as they have an equal. */
const built = boundVariables([], {}, { rangeMs: 3_600_000, stepMs: 30_000 });

/**
 * The visible queries of a panel, as they are written.
 * @param variables the names of the dashboard's variables
 * @param losses gets what is lost of a panel that is kept
 */
export function keptTargets(
  panel: Fields,
  targets: readonly Fields[],
  variables: ReadonlySet<string>,
  losses: string[],
): KeptTargets {
  const kept: { readonly query: string; readonly series_name?: string }[] = [];
  const problems: string[] = [];
  const writeFormula = formulasOf(panel, listOf(panel.targets));
  for (const visible of targets) {
    const target = isFormula(panel, visible) ? asQuery(visible, writeFormula, losses) : visible;
    const problem = problemOf(panel, target, variables);
    const name = textOf(target.legendFormat);
    if (problem !== undefined) problems.push(problem);
    else if (kept.length === mostQueries) problems.push(`a panel has at most ${mostQueries} queries`);
    else kept.push({ query: textOf(target.expr), ...(isName(name) && { series_name: name.trim() }) });
  }
  const [first, ...others] = kept;
  if (first === undefined) return { lost: problems[0] ?? 'it has no query' };
  if (problems.length > 0) losses.push(`${problems.length} of its ${targets.length} queries: ${problems.join('; ')}`);
  return { ...first, query_language: 'promql', ...(others.length > 0 && { more_queries: others }) };
}

/** A formula becomes a query where PromQL has its equal. */
function asQuery(formula: Fields, writeFormula: WriteFormula, losses: string[]): Fields {
  const written = writeFormula(formula);
  if (written === undefined) return formula;
  losses.push(...written.losses.filter((loss) => !losses.includes(loss)));
  return { expr: written.expr, datasource: { type: 'prometheus' }, legendFormat: formula.legendFormat };
}

function isName(text: string): boolean {
  return text.trim() !== '' && text !== '__auto' && text.length <= longestName && !/\p{Cc}/u.test(text);
}

function problemOf(panel: Fields, target: Fields, variables: ReadonlySet<string>): string | undefined {
  const source = sourceOf(panel, target);
  if (source === '__expr__') return 'a formula that has no equal in PromQL';
  const expression = textOf(target.expr);
  if ((source !== '' && source !== 'prometheus') || expression === '')
    return `queries of ${source || 'this data source'} are not translated`;
  if (expression.length > longestQuery) return `its query is longer than ${longestQuery} characters`;
  return problemOfPromql(expression, variables);
}

/** Why a query could not be asked. Whether it is valid is known before variables have values only if it uses none. */
export function problemOfPromql(text: string, variables: ReadonlySet<string>): string | undefined {
  const names = variablesInPromql(text);
  const unknown = names.find((name) => !variables.has(name) && !built.has(name));
  if (unknown !== undefined) return `it uses $${unknown}, which is no variable of the imported dashboard`;
  if (text.length > longestChecked || names.some((name) => !built.has(name))) return undefined;
  const bound = bindPromql(text, built);
  if (typeof bound !== 'string') return bound.message;
  try {
    parsePromql(bound);
    return undefined;
  } catch (error) {
    if (error instanceof PromqlError) return `its PromQL is not valid: ${error.message}`;
    throw error;
  }
}
