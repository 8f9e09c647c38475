import { ClickHouseError } from '@clickhouse/client';

/** The numeric code of an error that the store itself reported, e.g. 241 for a memory limit; else `undefined`. */
export function storeErrorCode(error: unknown): number | undefined {
  return error instanceof ClickHouseError ? Number(error.code) : undefined;
}

/**
 * RE2's message about a regular expression that the store could not compile (code 427, CANNOT_COMPILE_REGEXP). People
 * write expressions; the checker rejects known faults, and RE2 finds more, such as size.
 */
export function regexFaultOf(error: unknown): string | undefined {
  if (storeErrorCode(error) !== 427 || !(error instanceof Error)) return undefined;
  const told = /, error: (.*?)(?:\. Look at |: while executing|$)/s.exec(error.message)?.[1];
  return `a regular expression cannot be used: ${(told ?? 'RE2 does not compile it').slice(0, 200)}`;
}

/**
 * A server of a cluster cannot reach the others, Keeper, or enough replicas. All of these pass. Names as in ClickHouse's
 * `src/Common/ErrorCodes.cpp`.
 */
export const clusterCodes: ReadonlyMap<number, string> = new Map([
  [203, 'NO_FREE_CONNECTION'],
  [209, 'SOCKET_TIMEOUT'],
  [210, 'NETWORK_ERROR'],
  [225, 'NO_ZOOKEEPER'],
  [242, 'TABLE_IS_READ_ONLY'],
  [279, 'ALL_CONNECTION_TRIES_FAILED'],
  [285, 'TOO_FEW_LIVE_REPLICAS'],
  [286, 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE'],
  [289, 'REPLICA_IS_NOT_IN_QUORUM'],
  [319, 'UNKNOWN_STATUS_OF_INSERT'],
  [369, 'ALL_REPLICAS_ARE_STALE'],
  [904, 'TOO_MANY_UNAVAILABLE_SHARDS'],
  [999, 'KEEPER_EXCEPTION'],
]);

/** Whether a statement failed because a part of the cluster is away. */
export function isClusterFault(error: unknown): boolean {
  return clusterCodes.has(storeErrorCode(error) ?? 0) || (storeErrorCode(error) === 32 && isAboutConnection(error));
}

/** Names as in ClickHouse's `src/Common/ErrorCodes.cpp`. */
const valueCodes = new Set([
  69, // ARGUMENT_OUT_OF_BOUND
  70, // CANNOT_CONVERT_TYPE: infinity as an integer
  153, // ILLEGAL_DIVISION
  321, // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  407, // DECIMAL_OVERFLOW
]);

/** The store's message about an operation that fails for the actual values, which a checker cannot know. */
export function valueFaultOf(error: unknown): string | undefined {
  if (!valueCodes.has(storeErrorCode(error) ?? 0) || !(error instanceof Error)) return undefined;
  return `a value cannot be calculated: ${error.message.split(/[:.](?:\s|$)/, 1)[0]?.slice(0, 120)}`;
}

/**
 * Codes about the bytes of an insert: the same bytes would fail again. Everything else (connection refused, time-out,
 * memory limit, too many parts, a table that is still being created) may pass. Names as in ClickHouse's
 * `src/Common/ErrorCodes.cpp`.
 */
const badRowsCodes = new Set([
  26, // CANNOT_PARSE_QUOTED_STRING
  27, // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  32, // ATTEMPT_TO_READ_AFTER_EOF
  33, // CANNOT_READ_ALL_DATA
  117, // INCORRECT_DATA
  128, // TOO_LARGE_ARRAY_SIZE
  131, // TOO_LARGE_STRING_SIZE
  252, // TOO_MANY_PARTS: more partitions in one block than allowed, see isTooManyPartitions
  321, // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  691, // UNKNOWN_ELEMENT_OF_ENUM
]);

/** Whether the store rejected the rows themselves, so that a retry is useless. */
export function isBadRows(error: unknown): boolean {
  const code = storeErrorCode(error);
  if (code === undefined || !badRowsCodes.has(code) || isAboutConnection(error)) return false;
  return code !== 252 || isTooManyPartitions(error);
}

/**
 * Code 32 also means that another server of the cluster closed its connection. The words are those of ClickHouse's
 * `src/Client/Connection.cpp`.
 */
function isAboutConnection(error: unknown): boolean {
  return error instanceof Error && error.message.includes('while receiving packet from');
}

/** Code 252 means either a table with too many parts (passes) or a block over too many partitions (permanent). */
function isTooManyPartitions(error: unknown): boolean {
  return error instanceof Error && error.message.includes('partitions for single INSERT block');
}
