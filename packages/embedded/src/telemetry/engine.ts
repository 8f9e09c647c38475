import { badArguments } from './exceptions.ts';
import type { Connection, Native, QueryResult, ResultStream, WriteResult } from './native.ts';
import { quoteIdentifier, quoteString } from './quoting.ts';

/** A statement with all that goes with it. */
export interface Statement {
  sql: string;
  /** By this it is killed. */
  id: string;
  /** Format of the result where the statement names none. */
  format: string;
  database?: string | undefined;
  settings?: ReadonlyMap<string, string>;
  /** Values of `{name:Type}` as ClickHouse's HTTP interface takes them (escaped as in TabSeparated). */
  parameters?: ReadonlyMap<string, string>;
  signal?: AbortSignal | undefined;
}

export interface Engine {
  query(statement: Statement): Promise<QueryResult>;
  /**
   * The blocks of a SELECT's result as the engine makes them, each a result of its own in the format. The engine goes on
   * only as blocks are asked for; ending the iteration ends the query.
   */
  stream(statement: Statement): AsyncGenerator<Uint8Array, void, undefined>;
  /** Like `query`, for a statement that returns nothing: tells what was written. */
  write(statement: Statement): Promise<WriteResult>;
  close(): void;
}

/** How long a killed query may go on before it is killed again: it may not have been registered yet. */
const KILL_AGAIN_MS = 50;

const NOTHING = new Uint8Array(Buffer.from('\n'));

/**
 * Opens chDB on a directory. Each statement runs on a connection of its own, which costs about 0.1 ms:
 * settings cannot leak into the next one, `readonly` binds only the statement it came with, and statements
 * run side by side. (A pool of reused connections would need each setting to be undone, and `readonly=1`
 * cannot be.)
 */
export function openEngine(native: Native, dir: string, args: readonly string[]): Engine {
  // The engine lives as long as one connection is open.
  const keeper = native.CreateConnection(dir, args);

  async function run<Result>(
    statement: Statement,
    start: (connection: Connection, sql: string) => Promise<Result>,
  ): Promise<Result> {
    const sql = preamble(statement) + statement.sql;
    const { connection, close } = connect(statement);
    try {
      return await start(connection, sql);
    } finally {
      close();
    }
  }

  /** A connection whose query is killed when the statement is aborted. */
  function connect({ id, signal }: Statement): { connection: Connection; close: () => void } {
    signal?.throwIfAborted();
    const connection = native.CreateConnection(dir);
    let timer: NodeJS.Timeout | undefined;
    const kill = () => {
      void killNow(id);
      timer = setTimeout(kill, KILL_AGAIN_MS);
    };
    signal?.addEventListener('abort', kill, { once: true });
    const close = () => {
      signal?.removeEventListener('abort', kill);
      clearTimeout(timer);
      native.CloseConnection(connection);
    };
    return { connection, close };
  }

  async function* stream(statement: Statement): AsyncGenerator<Uint8Array, void, undefined> {
    const settings = preamble(statement);
    const { connection, close } = connect(statement);
    let result: ResultStream | undefined;
    try {
      // Only a query as a whole may hold several statements.
      await native.QueryAsyncConnection(connection, settings, 'Null');
      result = native.StreamQuery(connection, statement.sql, statement.format);
      for (;;) {
        statement.signal?.throwIfAborted();
        const { bytes, done } = await native.StreamFetch(result);
        if (done) return;
        if (bytes.length > 0) yield bytes;
      }
    } finally {
      if (result) native.StreamCancel(result);
      close();
    }
  }

  async function killNow(id: string): Promise<void> {
    const connection = native.CreateConnection(dir);
    try {
      const where = `Settings['log_comment'] = ${quoteString(id)}`;
      await native.QueryAsyncConnection(connection, `KILL QUERY WHERE ${where} ASYNC`, 'Null');
    } catch {
      // Only a query that has just ended by itself can make this fail; if not, it is killed again.
    } finally {
      native.CloseConnection(connection);
    }
  }

  return {
    query: (statement) =>
      run(statement, (connection, sql) => native.QueryAsyncConnection(connection, sql, statement.format)),
    stream,
    write: (statement) =>
      run(statement, (connection, sql) => native.InsertRawAsyncConnection(connection, sql, NOTHING, false)),
    close: () => native.CloseConnection(keeper),
  };
}

/** The statements that put a fresh connection into the state that the client asked for. */
function preamble({ id, database, settings = new Map(), parameters = new Map() }: Statement): string {
  const assignments = [`log_comment=${quoteString(id)}`];
  for (const [name, value] of parameters) assignments.push(`param_${safeName(name)}=${quoteString(value)}`);
  for (const [name, value] of settings) {
    if (name === 'readonly' || name === 'log_comment') continue;
    assignments.push(`${safeName(name)}=${quoteString(value)}`);
  }
  const use = database ? `USE ${quoteIdentifier(database)}; ` : '';
  // Comes last, as nothing can be set any more after it.
  const readonly = settings.get('readonly');
  const lock = readonly === undefined ? '' : `SET readonly=${quoteString(readonly)}; `;
  return `${use}SET ${assignments.join(', ')}; ${lock}`;
}

function safeName(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw badArguments(`Invalid name of a setting or parameter: ${name}`);
  return name;
}
