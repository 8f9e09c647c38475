import { regexFaultOf, storeErrorCode, valueFaultOf } from '../../../platform/clickhouse/index.ts';
import { fail } from '../../../platform/fail.ts';

/** Everything a statement may cost; beyond it the query fails, it is never cut. */
export const queryLimits = {
  maxSeconds: 30,
  maxRowsToRead: 2_000_000_000,
  maxMemoryBytes: 2 * 1024 ** 3,
  maxResultRows: 100_001,
} as const;

/** ClickHouse's codes for its limits, in words. */
const limitReasons: Readonly<Record<number, string>> = {
  158: 'it would read too many rows; narrow the time window or add a condition',
  159: `it ran longer than ${queryLimits.maxSeconds} s; narrow the time window or add a condition`,
  160: 'the store estimates that it would take too long; narrow the time window',
  241: 'it needs too much memory; group by less or narrow the time window',
  396: 'the result has too many rows',
};

/** Throws what the caller is told about a statement that failed: `QUERY_TOO_EXPENSIVE`, `OQL_INVALID`, `STORE_UNAVAILABLE`. */
export function explainFailure(error: unknown): never {
  const code = storeErrorCode(error);
  const reason = code === undefined ? undefined : limitReasons[code];
  if (reason !== undefined) throw fail('QUERY_TOO_EXPENSIVE', { reason }, { cause: error });
  const fault = regexFaultOf(error) ?? valueFaultOf(error);
  if (fault !== undefined) throw fail('OQL_INVALID', { reason: fault }, { cause: error });
  if (code === undefined)
    throw fail('STORE_UNAVAILABLE', { store: 'telemetry store' }, { retryAfterSeconds: 2, cause: error });
  throw error;
}
