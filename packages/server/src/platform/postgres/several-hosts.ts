import type { PostgresPool } from 'kysely';
import pg from 'pg';

/**
 * A client of a PostgreSQL that has several addresses, of which one takes writes. All clients stay with one address until it does not answer
 * or is a standby, then take the next, as libpq does with `target_session_attrs=read-write`.
 */
export function clientOfSeveral(urls: readonly string[]): new (config?: pg.ClientConfig) => pg.Client {
  let current = 0;

  return class extends pg.Client {
    readonly #at: number;

    constructor(config?: pg.ClientConfig) {
      const at = current;
      super({ ...config, connectionString: urls[at] });
      this.#at = at;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connected = super
        .connect()
        .then(() => refuseReadOnly(this))
        .catch((error: unknown) => {
          // Others may have moved on meanwhile.
          if (current === this.#at) current = (current + 1) % urls.length;
          throw error;
        });
      if (callback === undefined) return connected.then(() => this);
      // As in the library: without an error, the callback gets nothing.
      connected.then(() => (callback as () => void)(), callback);
      return undefined;
    }
  };
}

/** Connects once to each address before a statement fails. The pool hands out what is connected already. */
export function connectingToEach(
  pool: pg.Pool,
  attempts: number,
  isUnreachable: (error: unknown) => boolean,
): PostgresPool {
  return {
    async connect() {
      for (let left = attempts - 1; left > 0; left--) {
        try {
          return await pool.connect();
        } catch (error) {
          if (!isUnreachable(error)) throw error;
        }
      }
      return pool.connect();
    },
    end: () => pool.end(),
  };
}

/** A standby, or a server that is switched over, would take reads and fail each change. */
async function refuseReadOnly(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>(`SHOW transaction_read_only`);
  if (rows[0]?.transaction_read_only !== 'on') return;
  await client.end();
  throw new ReadOnlyServer(client.host);
}

/** The code is PostgreSQL's own, of a change that is sent to a standby. */
export class ReadOnlyServer extends Error {
  readonly code = '25006';
  constructor(host: string) {
    super(`the PostgreSQL server at ${host} takes no writes: it is a standby, or read-only`);
  }
}
