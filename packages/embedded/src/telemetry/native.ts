import { createRequire } from 'node:module';

/** One connection to the engine, with its own settings, parameters and current database. */
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

/** A query whose result is fetched in blocks. */
export type ResultStream = { readonly __resultStream: unique symbol };

export interface ResultChunk {
  /** One block of the result, in its format. */
  bytes: Uint8Array;
  /** There are no more blocks; `bytes` is empty. */
  done: boolean;
}

export interface WriteResult {
  /** Seconds. */
  elapsed: number;
  /** Rows written, including those of materialized views. */
  rowsWritten: number;
  bytesWritten: number;
}

/**
 * The used part of chDB's native addon. Its public `Session` is not suitable: it can close a connection only when no
 * query of the whole process is running, and it runs parameterized queries through one process-wide queue, so that one
 * slow query would block all others.
 */
export interface Native {
  /** Blocks for about 0.1 ms, the first one of a process for about 50 ms. */
  CreateConnection(path: string, args?: readonly string[]): Connection;
  /** Must not be called while a query runs on the connection: that aborts the engine. */
  CloseConnection(connection: Connection): void;
  QueryAsyncConnection(connection: Connection, sql: string, format: string): Promise<QueryResult>;
  /** Begins a query, which continues only as it is fetched. One at a time per connection. */
  StreamQuery(connection: Connection, sql: string, format: string): ResultStream;
  /** The next block. Each is a separate result, with the header and footer of its format. */
  StreamFetch(stream: ResultStream): Promise<ResultChunk>;
  /** Ends it at once; must not be called while a fetch runs. */
  StreamCancel(stream: ResultStream): void;
  /** Runs `sql` followed by `data` and reports what was written, which a plain query does not. */
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

/** @throws Error if chDB has no build for this platform (Windows, musl), or is not installed. */
export function loadNative(): Native {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (!name) {
    throw new Error(`The embedded telemetry store does not run on ${platform}; point CLICKHOUSE_URL at a ClickHouse.`);
  }
  // The platform packages are dependencies of chdb, so they are looked up from there.
  const requireFromChdb = createRequire(pathOfChdb());
  const native: Native = requireFromChdb(name);
  return native;
}

/** The package `fanion` brings chDB, which takes half a gigabyte; `@fanion/cli` does not. */
function pathOfChdb(): string {
  try {
    return createRequire(import.meta.url).resolve('chdb');
  } catch (error) {
    throw new Error(
      'The embedded telemetry store needs the package "chdb", which is not installed: install "fanion" instead of "@fanion/cli", or point CLICKHOUSE_URL at a ClickHouse.',
      { cause: error },
    );
  }
}
