import { storeErrorCode } from './clickhouse/index.ts';
import { Failure, fail } from './fail.ts';

/** Reads of the telemetry store, which features write their own SQL for. Always read-only; rows come as objects. */
export interface TelemetryReader {
  /** @param params bound as `{name:Type}` in the statement */
  query<T extends object>(sql: string, params: Record<string, unknown>): Promise<T[]>;
}

const retryAfterSeconds = 2;
/** Errors of the store that pass by themselves; names as in ClickHouse's `src/Common/ErrorCodes.cpp`. */
const passing = new Set([
  60, // UNKNOWN_TABLE: it starts for the first time
  81, // UNKNOWN_DATABASE
  159, // TIMEOUT_EXCEEDED
  202, // TOO_MANY_SIMULTANEOUS_QUERIES
  241, // MEMORY_LIMIT_EXCEEDED
]);

/** A read whose failure to reach the store is `STORE_UNAVAILABLE`; a statement that the store refuses stays an error. */
export async function readTelemetry<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = storeErrorCode(error);
    if (code === undefined || passing.has(code))
      throw fail('STORE_UNAVAILABLE', { store: 'telemetry store' }, { retryAfterSeconds, cause: error });
    throw error;
  }
}
