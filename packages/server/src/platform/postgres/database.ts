import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { urlsOf } from '../url-hosts.ts';
import type { ControlPlane } from './schema.ts';
import { clientOfSeveral, connectingToEach } from './several-hosts.ts';

export type Database = Kysely<ControlPlane>;
/** A database or a transaction; stores accept either. */
export type Executor = Kysely<ControlPlane> | Transaction<ControlPlane>;

export interface DatabaseConnection {
  readonly db: Database;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

export type DatabaseTarget =
  /** Of one server, or of several by commas, of which one takes writes. */
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

// bigint columns (outbox ids, lease epochs, ruleset versions) stay below 2^53 in practice.
const int8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * Connects to PostgreSQL, or to PGlite behind its socket: the same protocol. Connections are opened when needed and
 * again when the server is back; a statement waits at most `timeoutMs`.
 */
export function connectDatabase(
  target: DatabaseTarget,
  options: { maxConnections: number; timeoutMs: number; onError: (error: Error) => void },
): DatabaseConnection {
  const urls = 'url' in target ? urlsOf(target.url) : [];
  const hosts = Math.max(1, urls.length);
  const pool = new pg.Pool({
    ...('url' in target ? (hosts > 1 ? { Client: clientOfSeveral(urls) } : { connectionString: target.url }) : target),
    max: options.maxConnections,
    connectionTimeoutMillis: options.timeoutMs / hosts,
    query_timeout: options.timeoutMs,
    idleTimeoutMillis: 30_000,
    types,
    application_name: 'fanion',
  });
  pool.on('error', options.onError);
  // The pool handles errors of idle clients only; a client that loses its connection inside a transaction would crash
  // the process.
  pool.on('connect', (client) => client.on('error', options.onError));
  const connecting = hosts === 1 ? pool : connectingToEach(pool, hosts, isConnectionError);
  const db = new Kysely<ControlPlane>({ dialect: new PostgresDialect({ pool: connecting }) });
  return { db, pool, close: () => db.destroy() };
}

/** The constraint or index if an error is a unique violation, else undefined. */
export function uniqueViolation(error: unknown): string | undefined {
  return violation(error, '23505');
}

/** The constraint if an error is a foreign key violation, else undefined. */
export function foreignKeyViolation(error: unknown): string | undefined {
  return violation(error, '23503');
}

function violation(error: unknown, code: string): string | undefined {
  if (error instanceof Error && 'code' in error && error.code === code)
    return 'constraint' in error ? String(error.constraint) : '';
  return undefined;
}

/** Whether an error means that the database is unreachable, shutting down or a standby, as opposed to rejecting the statement. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|57P|08|53300|25006)/.test(code) ||
    /timeout|Connection terminated|not queryable|ended/i.test(error.message)
  );
}

/** Whether an error is about text that PostgreSQL cannot store: U+0000, in text or jsonb. */
export function isUnstorableText(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '22021' || error.code === '22P05');
}
