import { type Expression, PromqlError, parsePromql } from '@fanion/promql';
import { fail } from '../../../platform/fail.ts';

/**
 * The expression of a text. Throws `PROMQL_INVALID` with the position of the error.
 * @param path of the field of the input, for the details
 */
export function parseQuery(text: string, path = 'query'): Expression {
  try {
    return parsePromql(text);
  } catch (error) {
    if (!(error instanceof PromqlError)) throw error;
    throw fail(
      'PROMQL_INVALID',
      { reason: error.message },
      { cause: error, details: [diagnosticOf(error, text, path)] },
    );
  }
}

/** Why a text is not valid; undefined: it is. */
export function problemOf(text: string): string | undefined {
  try {
    parsePromql(text);
    return undefined;
  } catch (error) {
    if (error instanceof PromqlError) return error.message;
    throw error;
  }
}

function diagnosticOf({ message, from = 0, to = from }: PromqlError, text: string, path: string) {
  const lines = text.slice(0, from).split('\n');
  const span = { start: from, end: to, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  return { path, code: 'PROMQL', severity: 'error', message, span };
}
