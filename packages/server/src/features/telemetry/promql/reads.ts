import type { QueryLanguage } from '@fanion/contract';
import { type Expression, type LabelMatcher, matchersOf, PromqlError, parsePromql, selectorsOf } from '@fanion/promql';
import { type QueryReads, queryReads } from '../../../platform/arrivals/index.ts';
import { isAlertMetric } from './alert-series-rules.ts';
import { signalsOfCounter } from './counters.ts';
import { exactName, selectionOf } from './selection-rules.ts';

/** What a query of a rule reads. In PromQL, a missing element may mean that a comparison is false. */
export function readsOfRule({
  query,
  query_language,
}: {
  readonly query: string;
  readonly query_language?: QueryLanguage | undefined;
}): QueryReads {
  return query_language === 'promql' ? { signals: signalsOf(query), dropsRows: true } : queryReads(query);
}

function signalsOf(query: string): QueryReads['signals'] {
  const expression = parsed(query);
  return expression === undefined ? ['metrics'] : signalsIn(expression);
}

/** What the samples of an expression are read from. */
export function signalsIn(expression: Expression): QueryReads['signals'] {
  const counted = selectorsOf(expression).flatMap((selector) => {
    const name = exactName(selectionOf(matchersOf(selector)));
    return name === undefined ? [] : signalsOfCounter(name);
  });
  return [...new Set(['metrics' as const, ...counted])];
}

/** Whether an expression reads the metrics of alerts. */
export function readsAlerts(query: string): boolean {
  const expression = parsed(query);
  const selectors = expression === undefined ? [] : selectorsOf(expression);
  return selectors.some((selector) => isAlertMetric(exactName(selectionOf(matchersOf(selector)))));
}

/** For each selector of an expression, what it says about the name of the metric. */
export function namesIn(query: string): (readonly LabelMatcher[])[] {
  const expression = parsed(query);
  const selectors = expression === undefined ? [] : selectorsOf(expression);
  return selectors.map((selector) => selectionOf(matchersOf(selector)).names);
}

/** A stored rule is valid, unless a former version accepted it: its evaluation says why it is not. */
function parsed(query: string): Expression | undefined {
  try {
    return parsePromql(query);
  } catch (error) {
    if (error instanceof PromqlError) return undefined;
    throw error;
  }
}
