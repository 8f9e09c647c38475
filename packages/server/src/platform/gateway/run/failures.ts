import {
  isClusterFault,
  type QueryLimits,
  ResultTooLarge,
  regexFaultOf,
  storeErrorCode,
  valueFaultOf,
} from '../../clickhouse/index.ts';
import { Failure, fail } from '../../fail.ts';
import { RanTooLong } from './time-limit.ts';

/** Errors of the store that pass by themselves; names as in ClickHouse's `src/Common/ErrorCodes.cpp`. */
const passingCodes = new Set([
  60, // UNKNOWN_TABLE: at the first start of the store
  81, // UNKNOWN_DATABASE
  202, // TOO_MANY_SIMULTANEOUS_QUERIES
]);

const SHARD_AWAY = 'telemetry store (a server of its cluster does not answer)';
const NO_ROOM = 'telemetry store (other work fills its memory)';

/**
 * Converts a failure that the statement's author could not prevent to an error for the caller. Anything else is a
 * defect of the server and stays unchanged.
 */
export function explainFailure(error: unknown, limits: QueryLimits): unknown {
  if (error instanceof Failure) return error;
  if (error instanceof ResultTooLarge) return tooLarge(error.what, error.limitBytes, error);
  if (isClusterFault(error))
    return fail('STORE_UNAVAILABLE', { store: SHARD_AWAY }, { retryAfterSeconds: 2, cause: error });
  const code = storeErrorCode(error);
  if (lacksRoom(error)) return fail('STORE_UNAVAILABLE', { store: NO_ROOM }, { retryAfterSeconds: 2, cause: error });
  if (code === undefined || passingCodes.has(code))
    return fail('STORE_UNAVAILABLE', { store: 'telemetry store' }, { retryAfterSeconds: 2, cause: error });
  if (code === 396 && error instanceof Error && /max bytes/.test(error.message))
    return tooLarge('result', limits.maxResultBytes, error);
  const reason = limitReason(code, limits, error instanceof Error ? error.message : '');
  if (reason !== undefined) return fail('QUERY_TOO_EXPENSIVE', { reason }, { cause: error });
  const fault = regexFaultOf(error) ?? valueFaultOf(error);
  if (fault !== undefined) return fail('OQL_INVALID', { reason: fault }, { cause: error });
  return error;
}

/**
 * Whether a read found no memory because of what else the store does, such as an insert or a merge. The same read may succeed some
 * moments later, unlike one that needs more than a query may use. The words are those of ClickHouse's `src/Common/MemoryTracker.cpp`.
 */
export function lacksRoom(error: unknown): boolean {
  return (
    storeErrorCode(error) === 241 && error instanceof Error && /\(total\) memory limit exceeded/i.test(error.message)
  );
}

/** Whether a read failed at its time limit, or because the store foresaw that it would. */
export function ranTooLong({ cause }: Failure): boolean {
  if (cause instanceof RanTooLong) return true;
  const code = storeErrorCode(cause);
  return code === 159 || code === 160;
}

/** Messages for ClickHouse's limit codes. */
function limitReason(code: number, limits: QueryLimits, message: string): string | undefined {
  switch (code) {
    case 158: // TOO_MANY_ROWS
      return `it would read more than ${limits.maxRowsToRead} rows; narrow the time window or add a condition`;
    case 159: // TIMEOUT_EXCEEDED
      return `it ran longer than ${limits.maxSeconds} s; narrow the time window or add a condition`;
    case 160: // TOO_SLOW
      return 'the store estimates that it would take too long; narrow the time window or add a condition';
    case 241: // MEMORY_LIMIT_EXCEEDED
      return 'it needs too much memory; group by less or narrow the time window';
    case 395: // FUNCTION_THROW_IF_VALUE_IS_NON_ZERO: a limit of OQL's, in its own words
      return message.split(': while executing')[0];
    case 396: // TOO_MANY_ROWS_OR_BYTES
      return `the result has more than ${limits.maxResultRows} rows; group by less or narrow the time window`;
    default:
      return undefined;
  }
}

const advice = {
  result: 'ask for fewer columns or rows, or aggregate; NDJSON, CSV and Arrow may be larger',
  row: 'leave out its longest columns, or shorten them with substring()',
};

function tooLarge(what: 'row' | 'result', limitBytes: number, cause: unknown): Failure {
  const limit =
    limitBytes < 1024 ** 2 ? `${Math.floor(limitBytes / 1024)} KiB` : `${Math.floor(limitBytes / 1024 ** 2)} MiB`;
  return fail('RESULT_TOO_LARGE', { what, limit, advice: advice[what] }, { cause });
}
