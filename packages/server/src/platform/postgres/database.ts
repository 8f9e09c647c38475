import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { ControlPlane } from './schema.ts';

export type Database = Kysely<ControlPlane>;
/** A statement runs in a transaction or on its own; stores take either. */
export type Executor = Kysely<ControlPlane> | Transaction<ControlPlane>;

export interface DatabaseConnection {
  readonly db: Database;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

export type DatabaseTarget =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

// bigint columns (outbox ids, lease epochs, ruleset versions) stay below 2^53 for as long as anybody will run this.
const int8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * Connects to PostgreSQL, or to PGlite behind its socket: the same protocol. Connections are made when they are
 * needed and made again when the server comes back; a statement waits at most `timeoutMs`.
 */
export function connectDatabase(
  target: DatabaseTarget,
  options: { maxConnections: number; timeoutMs: number; onError: (error: Error) => void },
): DatabaseConnection {
  const pool = new pg.Pool({
    ...('url' in target ? { connectionString: target.url } : target),
    max: options.maxConnections,
    connectionTimeoutMillis: options.timeoutMs,
    query_timeout: options.timeoutMs,
    idleTimeoutMillis: 30_000,
    types,
    application_name: 'fanion',
  });
  pool.on('error', options.onError);
  // The pool only hears of idle clients; one that loses its connection inside a transaction would end the process.
  pool.on('connect', (client) => client.on('error', options.onError));
  const db = new Kysely<ControlPlane>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, close: () => db.destroy() };
}

/** Whether an error of a statement is a unique violation, and of which constraint or index. */
export function uniqueViolation(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && error.code === '23505')
    return 'constraint' in error ? String(error.constraint) : '';
  return undefined;
}

/** Whether an error means that the database cannot be reached or is going away, as opposed to refusing the statement. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|57P|08|53300)/.test(code) ||
    /timeout|Connection terminated|not queryable|ended/i.test(error.message)
  );
}

/** Whether a text cannot be stored at all: PostgreSQL has no U+0000, neither in text nor in jsonb. */
export function isUnstorableText(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '22021' || error.code === '22P05');
}
