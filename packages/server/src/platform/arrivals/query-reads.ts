import { type ReadSignal, readsOf } from '@fanion/oql';
import { shortCharacters } from '../gateway/index.ts';

/** What decides when the telemetry of a query has arrived, and what a row means that is missing from its answer. */
export interface QueryReads {
  readonly signals: readonly ReadSignal[];
  /** Whether a missing row may mean that a condition of the query does not hold. */
  readonly dropsRows: boolean;
}

const allSignals: readonly ReadSignal[] = ['traces', 'logs', 'metrics', 'profiles', 'evaluations'];
/** Long texts take long to parse, and are rare. */
const ofLongText: QueryReads = { signals: allSignals, dropsRows: true };

/** What a query of a rule reads; every signal where that cannot be known. */
export function queryReads(query: string): QueryReads {
  const reads = query.length > shortCharacters ? undefined : readsOf(query);
  if (reads === undefined) return ofLongText;
  return { signals: reads.signals.size === 0 ? allSignals : [...reads.signals], dropsRows: reads.dropsRows };
}
