import { createConnectionPool } from './connections.ts';
import { badArguments } from './exceptions.ts';
import type { Connection, Native, QueryResult, ResultStream, WriteResult } from './native.ts';
import { type PooledRead, pooledRead } from './pooled-read.ts';
import { quoteIdentifier, quoteString } from './quoting.ts';
import { readStatementText, type StatementText } from './statement-text.ts';

/** A statement with its options. */
export interface Statement {
  sql: string;
  /** Of `sql`, where it has been read before. */
  text?: StatementText | undefined;
  /** Used to kill it. */
  id: string;
  /** Default format of the result. */
  format: string;
  database?: string | undefined;
  settings?: ReadonlyMap<string, string>;
  /** Values of `{name:Type}` in the form of ClickHouse's HTTP interface (escaped as in TabSeparated). */
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
  /** Like `query`, for a statement that returns nothing: returns what was written. */
  write(statement: Statement): Promise<WriteResult>;
  close(): void;
}

/** How long a killed query may continue before it is killed again: it may not have been registered yet. */
const KILL_AGAIN_MS = 50;

const NOTHING = new Uint8Array(Buffer.from('\n'));

/** As many as the door lets run at once. */
const MOST_IDLE = 19;

/** Statements that leave databases as they are. Any other may have dropped the database of an idle connection. */
const LEAVES_DATABASES = /^\s*(SELECT|WITH|DESCRIBE|DESC|SHOW|EXISTS|EXPLAIN|KILL|SET|USE)\b/i;

/** A connection on which one statement runs. */
interface Held {
  readonly connection: Connection;
  /** What has to run before the statement, and the statement as it runs here. */
  readonly preamble: string;
  readonly sql: string;
  /** @param isReusable whether the statement ended well */
  release(isReusable: boolean): void;
}

/**
 * Opens chDB on a directory. Statements run side by side, each on a connection of its own while it runs. A read
 * under `readonly=1` takes a connection from a pool, on which it leaves nothing (see `pooledRead`). Any other statement
 * gets a new connection, which costs 0.5 ms with its settings: `readonly=1` could not be undone on a reused one, and
 * each other setting would have to be.
 */
export function openEngine(native: Native, dir: string, args: readonly string[]): Engine {
  return new ChdbEngine(native, dir, args);
}

class ChdbEngine implements Engine {
  readonly #native: Native;
  readonly #dir: string;
  /** The engine runs as long as one connection is open. */
  readonly #keeper: Connection;
  readonly #pool: ReturnType<typeof createConnectionPool>;

  constructor(native: Native, dir: string, args: readonly string[]) {
    this.#native = native;
    this.#dir = dir;
    this.#keeper = native.CreateConnection(dir, args);
    this.#pool = createConnectionPool(native, dir, MOST_IDLE);
  }

  async query(statement: Statement): Promise<QueryResult> {
    statement.signal?.throwIfAborted();
    return this.#run(statement, this.#hold(statement), (connection, sql) =>
      this.#native.QueryAsyncConnection(connection, sql, statement.format),
    );
  }

  async *stream(statement: Statement): AsyncGenerator<Uint8Array, void, undefined> {
    statement.signal?.throwIfAborted();
    const native = this.#native;
    const { connection, preamble, sql, release } = this.#hold(statement);
    const killing = this.#killOnAbort(statement);
    let result: ResultStream | undefined;
    let isReusable = false;
    try {
      // Only a query as a whole may hold several statements.
      if (preamble !== '') await native.QueryAsyncConnection(connection, preamble, 'Null');
      result = native.StreamQuery(connection, sql, statement.format);
      for (;;) {
        statement.signal?.throwIfAborted();
        const { bytes, done } = await native.StreamFetch(result);
        if (done) break;
        if (bytes.length > 0) yield bytes;
      }
      isReusable = true;
    } finally {
      killing.stop();
      if (result) native.StreamCancel(result);
      release(isReusable);
    }
  }

  async write(statement: Statement): Promise<WriteResult> {
    statement.signal?.throwIfAborted();
    return this.#run(statement, this.#holdNew(statement), (connection, sql) =>
      this.#native.InsertRawAsyncConnection(connection, sql, NOTHING, false),
    );
  }

  close(): void {
    this.#pool.clear();
    this.#native.CloseConnection(this.#keeper);
  }

  #hold(statement: Statement): Held {
    const { sql, id, format, database = '', settings = new Map(), parameters = new Map() } = statement;
    const text = statement.text ?? readStatementText(sql);
    const read = pooledRead({ text, format, id, settings, parameters });
    return read ? this.#holdPooled(database, read) : this.#holdNew(statement);
  }

  #holdPooled(database: string, read: PooledRead): Held {
    const pool = this.#pool;
    const pooled = pool.take(database);
    const use = pooled.isOpened || database === '' ? '' : `USE ${quoteIdentifier(database)}; `;
    pooled.isOpened = true;
    pooled.parameterBytes += read.parameters.length;
    return {
      connection: pooled.connection,
      preamble: use + read.parameters,
      sql: read.statement,
      release: (isReusable) => (isReusable ? pool.give(pooled) : pool.discard(pooled)),
    };
  }

  #holdNew(statement: Statement): Held {
    const before = preamble(statement);
    const connection = this.#native.CreateConnection(this.#dir);
    const release = () => {
      this.#native.CloseConnection(connection);
      if (!LEAVES_DATABASES.test(statement.sql)) this.#pool.clear();
    };
    return { connection, preamble: before, sql: statement.sql, release };
  }

  async #run<Result>(
    statement: Statement,
    held: Held,
    start: (connection: Connection, sql: string) => Promise<Result>,
  ): Promise<Result> {
    const killing = this.#killOnAbort(statement);
    let isReusable = false;
    try {
      const result = await start(held.connection, held.preamble + held.sql);
      isReusable = true;
      return result;
    } finally {
      killing.stop();
      held.release(isReusable);
    }
  }

  /** Kills the query as soon as the statement is aborted, until `stop`. */
  #killOnAbort({ id, signal }: Statement): { stop: () => void } {
    let timer: NodeJS.Timeout | undefined;
    let isStopped = false;
    // One at a time: each waits in a thread, and a health check would find none where a busy engine takes long to kill.
    const kill = async () => {
      await this.#kill(id);
      if (!isStopped) timer = setTimeout(kill, KILL_AGAIN_MS);
    };
    signal?.addEventListener('abort', kill, { once: true });
    const stop = () => {
      isStopped = true;
      signal?.removeEventListener('abort', kill);
      clearTimeout(timer);
    };
    return { stop };
  }

  async #kill(id: string): Promise<void> {
    const connection = this.#native.CreateConnection(this.#dir);
    try {
      const where = `Settings['log_comment'] = ${quoteString(id)}`;
      await this.#native.QueryAsyncConnection(connection, `KILL QUERY WHERE ${where} ASYNC`, 'Null');
    } catch {
      // Only a query that has just ended by itself can make this fail; if not, it is killed again.
    } finally {
      this.#native.CloseConnection(connection);
    }
  }
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
