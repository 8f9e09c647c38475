import type pg from 'pg';
import { urlsOf } from '../url-hosts.ts';
import { clientOfSeveral } from './several-hosts.ts';

/** The oldest major version that is supported. */
export const leastPostgres = 15;

/** What a PostgreSQL server says about itself. */
export interface PostgresState {
  readonly version: string;
  /** Whether the role may create tables, as migrations do. */
  readonly mayMigrate: boolean;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Asks on a connection of its own; of several servers, the one that takes writes. @throws Error when none answers within the time */
export async function probePostgres(url: string, timeoutMs: number): Promise<PostgresState> {
  const [, ...others] = urlsOf(url);
  const Client = clientOfSeveral(urlsOf(url));
  const timeout = timeoutMs / (others.length + 1);
  const ask = () => stateOf(new Client({ connectionTimeoutMillis: timeout, query_timeout: timeout }));
  let answer = ask();
  for (const _ of others) answer = answer.catch(ask);
  return answer;
}

async function stateOf(client: pg.Client): Promise<PostgresState> {
  // It would be thrown where nothing catches it when the server breaks the connection; the statement fails anyway.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string; may_migrate: boolean | null; now_ms: string }>(
      `SELECT current_setting('server_version') AS version,
         has_schema_privilege(current_schema(), 'CREATE') AS may_migrate,
         floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS now_ms`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error('the server returned no row');
    return { version: row.version, mayMigrate: row.may_migrate === true, nowMs: Number(row.now_ms) };
  } finally {
    await client.end();
  }
}
