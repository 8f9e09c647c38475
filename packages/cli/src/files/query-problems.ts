import type { QueryLanguage } from '@fanion/contract';
import { PromqlError, parsePromql } from '@fanion/promql';
import type { Problem } from './kind.ts';
import { oqlProblems } from './oql-problems.ts';

/** What is wrong with the query of a rule, in its language. */
export function queryProblems({
  query,
  query_language,
}: {
  readonly query: string;
  readonly query_language: QueryLanguage;
}): Problem[] {
  return problemsIn(query, query_language, ['query']);
}

/** What is wrong with a text in its language, under the path of its field. */
export function problemsIn(text: string, language: QueryLanguage, path: Problem['path']): Problem[] {
  return language === 'promql' ? promqlProblems(text, path) : oqlProblems(text, path);
}

function promqlProblems(query: string, path: Problem['path']): Problem[] {
  try {
    parsePromql(query);
    return [];
  } catch (error) {
    if (error instanceof PromqlError) return [{ path, message: error.message }];
    throw error;
  }
}
