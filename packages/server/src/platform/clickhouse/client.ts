import { Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { mapInSlices } from '../breath.ts';
import { type Compact, readCompact, readCompactRows } from './compact.ts';
import { createReader, type Reader } from './read-request.ts';

/** A database and the settings for talking to it. */
export interface ClickHouseTarget {
  /** `http://user:password@host:port`. */
  url: string;
  database: string;
  /** Settings of every statement, such as those of a cluster. */
  settings?: Readonly<Record<string, string | number>>;
}

export interface ClickHouseOptions extends ClickHouseTarget {
  /** @default 16 */
  maxConnections?: number;
  /** Timeout of one request, in milliseconds; a query's own limit should be shorter. @default 60_000 */
  requestTimeoutMs?: number;
  /**
   * Timeout of an insert, in milliseconds. The store completes an insert whose client has left, so a repeated one is work done twice: on a busy
   * machine that made slow inserts slower, without an end. @default 600_000
   */
  insertTimeoutMs?: number;
}

/** The limits of one read. Beyond a limit the statement fails; a result is never truncated silently. */
export interface QueryLimits {
  maxSeconds: number;
  maxRowsToRead: number;
  maxMemoryBytes: number;
  maxResultRows: number;
  /** Of the result, both in the store's memory and as JSON. */
  maxResultBytes: number;
  /** Of one row as JSON. */
  maxRowBytes: number;
}

export interface QueryOptions {
  /** Bound as `{name:Type}` in the statement. */
  params?: Record<string, unknown>;
  limits?: Partial<QueryLimits>;
  /** Further settings of the statement, e.g. `additional_table_filters`. */
  settings?: Record<string, string | number>;
  /** Aborting closes the connection, and with it the running query. */
  signal?: AbortSignal;
  queryId?: string;
}

export interface QueryAnswer {
  columns: { name: string; type: string }[];
  rows: unknown[][];
  /** Size as JSON. */
  bytes: number;
  cost: QueryCost;
}

export interface QueryCost {
  rowsRead: number;
  bytesRead: number;
  seconds: number;
}

/** Row by row, or a block of columns (which the store reads several times as fast). */
export type InsertFormat = 'RowBinary' | 'Native';

export interface InsertOptions {
  /** The same token for the same rows makes a repeated insert a no-op. */
  token: string;
  /** Further settings of the insert. */
  settings?: Readonly<Record<string, string | number>>;
  signal?: AbortSignal;
}

/** A ClickHouse database over its HTTP protocol, embedded or external. */
export interface ClickHouse {
  /** A read, with `readonly=1`; rows as arrays in the order of the columns. */
  query(sql: string, options?: QueryOptions): Promise<QueryAnswer>;
  /** The same, as the bytes of the format, by default `JSONCompact`. Ending the iteration ends the query. */
  open(
    sql: string,
    options?: QueryOptions,
    format?: 'JSONCompact' | 'RowBinary' | 'Native',
  ): Promise<{ stream: AsyncIterable<Buffer>; limits: QueryLimits }>;
  /**
   * Streams the rows of a read, a few at a time; the store continues only as they are consumed. Ending the iteration
   * ends the query. The cost is not reported.
   */
  stream(sql: string, options?: QueryOptions): AsyncGenerator<unknown[][], void, undefined>;
  /** The same with rows as objects. `Row` is the type that the statement's author declares. */
  queryRows<Row extends object>(sql: string, options?: QueryOptions): Promise<Row[]>;
  /** A statement without an answer (DDL). Not read-only: never built from a user's input. */
  command(sql: string, options?: Pick<QueryOptions, 'params' | 'settings' | 'signal'>): Promise<void>;
  /** Inserts rows; resolves when the store has acknowledged them. The body is one block. */
  insert(
    table: string,
    columns: readonly string[],
    format: InsertFormat,
    body: Uint8Array | readonly Uint8Array[] | Readable,
    options: InsertOptions,
  ): Promise<void>;
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

export const defaultLimits: QueryLimits = {
  maxSeconds: 30,
  maxRowsToRead: 2_000_000_000,
  maxMemoryBytes: 2 * 1024 ** 3,
  maxResultRows: 100_000,
  maxResultBytes: 64 * 1024 ** 2,
  maxRowBytes: 4 * 1024 ** 2,
};

/**
 * Deduplication is per token and block number, so a repeated insert must be divided into the same blocks. These
 * settings force a single block, whatever the server's defaults are.
 */
const insertSettings = {
  async_insert: 0,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  max_insert_threads: '1',
  max_insert_block_size: '1048576',
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(1024 ** 3),
  input_format_parallel_parsing: 0,
  max_partitions_per_insert_block: '100',
  // Built once, for past days (features/text-indexes); until then a part is scanned.
  exclude_materialize_skip_indexes_on_insert: 'by_value,by_resource,by_word',
  wait_end_of_query: 1,
} as const;

/**
 * Reads of few rows keep the blocks that they decompress, for those that follow: docs/decisions/0041. Larger ones would only push
 * them out.
 */
const keptBlocks = {
  use_uncompressed_cache: 1,
  merge_tree_max_rows_to_use_cache: 65_536,
  // The engine takes the larger of the two, in granules.
  merge_tree_max_bytes_to_use_cache: 1,
} as const;

/** Connects lazily: nothing is sent before the first statement. */
export function createClickHouse(options: ClickHouseOptions): ClickHouse {
  const { url, database, maxConnections = 16, requestTimeoutMs = 60_000, insertTimeoutMs = 600_000 } = options;
  const everyStatement = { ...options.settings, date_time_output_format: 'iso' } as const;
  const reader = createReader({ url, database, maxConnections, timeoutMs: requestTimeoutMs });
  const connect = (request_timeout: number) =>
    createClient({
      url,
      database,
      max_open_connections: maxConnections,
      request_timeout,
      compression: { request: false, response: false },
      clickhouse_settings: everyStatement,
      // Every error reaches the caller, who knows which ones are expected.
      log: { level: ClickHouseLogLevel.OFF },
    });
  const client = connect(requestTimeoutMs);
  const inserts = connect(insertTimeoutMs);
  const withSettings = (queryOptions: QueryOptions): QueryOptions => ({
    ...queryOptions,
    settings: { ...everyStatement, ...queryOptions.settings },
  });
  const open: ClickHouse['open'] = (sql, queryOptions = {}, format = 'JSONCompact') =>
    read(reader, sql, withSettings(queryOptions), format);
  async function query(sql: string, queryOptions: QueryOptions = {}): Promise<QueryAnswer> {
    const { stream, limits } = await open(sql, queryOptions);
    const { columns, rows, statistics, bytes } = await readCompact(stream, limits);
    return { columns, rows, bytes, cost: costOf(statistics) };
  }
  return {
    query,
    open,
    async *stream(sql, queryOptions = {}) {
      const { stream, limits } = await read(reader, sql, withSettings(queryOptions), 'JSONCompactEachRow');
      yield* readCompactRows(stream, limits);
    },
    async queryRows<Row extends object>(sql: string, queryOptions: QueryOptions = {}) {
      const { columns, rows } = await query(sql, queryOptions);
      return mapInSlices(
        rows,
        (values) => Object.fromEntries(columns.map(({ name }, at) => [name, values[at]])) as Row,
      );
    },
    async command(query, { params, settings, signal } = {}) {
      await client.command({
        query,
        ...(params && { query_params: params }),
        ...endedBy(signal),
        clickhouse_settings: { ...settings, wait_end_of_query: 1 },
      });
    },
    async insert(table, columns, format, body, { token, settings, signal }) {
      const { stream } = await inserts.exec({
        query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT ${format}`,
        values:
          body instanceof Readable
            ? body
            : Readable.from(body instanceof Uint8Array ? [body] : body, { objectMode: false }),
        ...endedBy(signal),
        clickhouse_settings: { ...insertSettings, ...settings, insert_deduplication_token: token },
      });
      // The connection is free for the next request only after its response, even an empty one, was read.
      for await (const _ of stream);
    },
    async ping() {
      return (await client.ping()).success;
    },
    async close() {
      reader.close();
      await Promise.all([client.close(), inserts.close()]);
    },
  };
}

/** The cost that an answer states at its end. */
export function costOf({ elapsed = 0, rows_read = 0, bytes_read = 0 }: Compact['statistics']): QueryCost {
  return { seconds: elapsed, rowsRead: rows_read, bytesRead: bytes_read };
}

/** Sends a read and returns its response as a stream. */
async function read(
  reader: Reader,
  query: string,
  options: QueryOptions,
  format: 'JSONCompact' | 'JSONCompactEachRow' | 'RowBinary' | 'Native',
): Promise<{ stream: Readable; limits: QueryLimits }> {
  const limits = { ...defaultLimits, ...options.limits };
  const stream = await reader.send({
    sql: `${query}\nFORMAT ${format}`,
    params: options.params ?? {},
    signal: options.signal,
    queryId: options.queryId,
    settings: {
      // Threads that format blocks side by side cost more than they save: docs/decisions/0041.
      output_format_parallel_formatting: 0,
      ...keptBlocks,
      ...options.settings,
      max_execution_time: limits.maxSeconds,
      max_rows_to_read: limits.maxRowsToRead,
      read_overflow_mode: 'throw',
      max_memory_usage: limits.maxMemoryBytes,
      max_result_rows: limits.maxResultRows,
      max_result_bytes: limits.maxResultBytes,
      result_overflow_mode: 'throw',
      // A complete result is sent only when the query has succeeded.
      ...(format !== 'JSONCompactEachRow' && { wait_end_of_query: 1 }),
      readonly: 1,
    },
  });
  return { stream, limits };
}

/**
 * The client library handles a later abort, but not a signal that is already aborted: such a statement would run to its
 * end. Throws its reason.
 */
function endedBy(signal: AbortSignal | undefined) {
  signal?.throwIfAborted();
  return signal && { abort_signal: signal };
}
