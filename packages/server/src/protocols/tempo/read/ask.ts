import { printQuery, type ResultValue, type Tree } from '@fanion/oql';
import type { QueryHistory } from '../../../features/dashboards/saved-queries/index.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { Place } from '../../read/request.ts';
import { query } from './oql-tree.ts';
import type { TempoLimits } from './settings.ts';
import { TraceqlError } from './traceql/error.ts';
import { parseTraceql } from './traceql/parse.ts';
import type { TraceqlQuery } from './traceql/tree.ts';

export interface QueryParts {
  readonly gateway: Pick<Gateway, 'ask' | 'lane' | 'compiler'>;
  readonly history: Pick<QueryHistory, 'observe'>;
  readonly limits: TempoLimits;
}

/** A question to the store in OQL. */
export interface Asked {
  readonly pipeline: Tree.Pipeline;
  readonly window: Window;
  /** Most rows. */
  readonly limit: number;
  /** What there are too many of, beyond the limit; absent: the rest is left out. */
  readonly what?: string;
}

/** @throws `QUERY_TOO_EXPENSIVE` if there are more rows than may be, and as every query does */
export async function ask(
  { gateway }: Pick<QueryParts, 'gateway'>,
  place: Place,
  { pipeline, window, limit, what }: Asked,
): Promise<readonly (readonly ResultValue[])[]> {
  const question = { oql: printQuery(query(pipeline)), window, limit };
  const answer = await gateway.ask(scopeOf(place), question, { lane: 'interactive', signal: place.signal });
  if (answer.truncated && what !== undefined)
    throw fail('QUERY_TOO_EXPENSIVE', {
      reason: `it has more than ${limit} ${what}; choose a shorter window or add a condition`,
    });
  return answer.rows;
}

/** @throws `TRACEQL_INVALID` */
export function parsed(text: string): TraceqlQuery {
  return translating(() => parseTraceql(text));
}

/** Runs a part of a translation. @throws `TRACEQL_INVALID` */
export function translating<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof TraceqlError) throw fail('TRACEQL_INVALID', { reason: error.message }, { cause: error });
    throw error;
  }
}
