import type { QueryLanguage } from '@fanion/contract';
import { type Expression, matchersOf, PromqlError, parsePromql, selectorsOf } from '@fanion/promql';
import { type QueryReads, queryReads } from '../../../platform/arrivals/index.ts';
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
  const readsSpans = expression !== undefined && namesIn(expression).some((name) => isCounter(name));
  return readsSpans ? ['metrics', 'traces'] : ['metrics'];
}

/** The name that each selector asks for; undefined for one that may match several. */
export function namesIn(expression: Expression): (string | undefined)[] {
  return selectorsOf(expression).map((selector) => exactName(selectionOf(matchersOf(selector))));
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
