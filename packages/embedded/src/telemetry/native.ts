import { createRequire } from 'node:module';

/** One connection to the engine: its settings, parameters and current database are its own. */
export type Connection = { readonly __connection: unique symbol };

export interface QueryResult {
  bytes: Uint8Array;
  /** Seconds. */
  elapsed: number;
  /** Rows of the result. */
  rowsRead: number;
  /** Bytes of the result in the engine's own representation. */
  bytesRead: number;
}

/** A query whose result is fetched piece by piece. */
export type ResultStream = { readonly __resultStream: unique symbol };

export interface ResultChunk {
  /** One block of the result, in its format. */
  bytes: Uint8Array;
  /** There was nothing left; `bytes` is empty. */
  done: boolean;
}

export interface WriteResult {
  /** Seconds. */
  elapsed: number;
  /** Rows written, those of materialized views included. */
  rowsWritten: number;
  bytesWritten: number;
}

/**
 * chDB's native addon, as far as it is used here. Not its public `Session`: that one lets a connection be
 * closed only when no query of the whole process is running any more, and passes parameterised queries
 * through one process-wide queue, so one slow query would hold up everybody else.
 */
export interface Native {
  /** Blocks for about 0.1 ms, the first one of a process for about 50 ms. */
  CreateConnection(path: string, args?: readonly string[]): Connection;
  /** Must not be called while a query runs on the connection: that aborts the engine. */
  CloseConnection(connection: Connection): void;
  QueryAsyncConnection(connection: Connection, sql: string, format: string): Promise<QueryResult>;
  /** Begins a query, which goes on only as it is fetched. One at a time on a connection. */
  StreamQuery(connection: Connection, sql: string, format: string): ResultStream;
  /** The next block. Each comes as a result of its own: with the header and footer that its format has. */
  StreamFetch(stream: ResultStream): Promise<ResultChunk>;
  /** Ends it, at once; must not be called while a fetch runs. */
  StreamCancel(stream: ResultStream): void;
  /** Runs `sql` followed by `data` and tells what was written, which a plain query does not. */
  InsertRawAsyncConnection(
    connection: Connection,
    sql: string,
    data: Uint8Array,
    countLines: boolean,
  ): Promise<WriteResult>;
}

const PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': '@chdb/lib-darwin-arm64',
  'darwin-x64': '@chdb/lib-darwin-x64',
  'linux-arm64': '@chdb/lib-linux-arm64-gnu',
  'linux-x64': '@chdb/lib-linux-x64-gnu',
};

/** @throws Error where chDB has no build for this platform (Windows, musl). */
export function loadNative(): Native {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (!name) {
    throw new Error(`The embedded telemetry store does not run on ${platform}; point CLICKHOUSE_URL at a ClickHouse.`);
  }
  // The platform packages are dependencies of chdb, so they are looked up from there.
  const requireFromChdb = createRequire(createRequire(import.meta.url).resolve('chdb'));
  const native: Native = requireFromChdb(name);
  return native;
}
