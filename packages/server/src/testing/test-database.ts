import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startControlStore } from '@fanion/embedded';
import { sql } from 'kysely';
import { connectDatabase, type Database, type DatabaseTarget } from '../platform/postgres/database.ts';
import { migrate } from '../platform/postgres/migrate.ts';
import { findPostgres } from './postgres-binaries.ts';

/** A migrated, empty control plane. */
export interface TestDatabase {
  readonly db: Database;
  /** For another connection, like that of another server. */
  readonly connection: Exclude<DatabaseTarget, { url: string }>;
  close(): Promise<void>;
}

/** The store of a test file: a database that also creates fresh ones. Closing it closes these. */
export interface TestStore extends TestDatabase {
  /** An empty, migrated database: another one on PostgreSQL, the only one emptied on PGlite. Closed with the store. */
  fresh(): Promise<TestDatabase>;
}

/** For `describe.each(testStores)('… on %s', (_name, start) => …)`: such tests run on both stores. */
export const testStores = [
  ['PostgreSQL', startTestPostgres],
  ['PGlite', startTestPglite],
] as const;

/** The same database, and the texts of the statements that it is asked from then on. Values are placeholders in them. */
export function recordStatements(db: Database): { db: Database; statements: string[] } {
  const statements: string[] = [];
  const recorded = db.withPlugin({
    transformQuery({ node, queryId }) {
      statements.push(db.getExecutor().compileQuery(node, queryId).sql);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: recorded, statements };
}

const connectionsPerTest = 10;

function connect(connection: TestDatabase['connection']): Database {
  const options = { maxConnections: connectionsPerTest, timeoutMs: 20_000, onError: () => {} };
  return connectDatabase(connection, options).db;
}

/** A PostgreSQL for tests that stop it: closing the store ends the process. */
export async function startOwnPostgres(): Promise<TestStore> {
  const running = await startPostgres();
  const store = await storeOn(running);
  return {
    ...store,
    async close() {
      await store.close();
      await running.stop();
    },
  };
}

let sharedPostgres: Promise<RunningPostgres> | undefined;

/**
 * Databases of the PostgreSQL that the test files of a worker share. It ends with the worker, or at the latest with the
 * run.
 */
export async function startTestPostgres(): Promise<TestStore> {
  sharedPostgres ??= startPostgres();
  return storeOn(await sharedPostgres);
}

interface RunningPostgres {
  at(database: string): TestDatabase['connection'];
  /** A connection to the database `postgres`. */
  readonly admin: Database;
  /** `shapeOf` a migrated database. */
  readonly shape: string;
  /** Closed databases: emptying one takes a tenth of the time of creating one. */
  readonly closed: string[];
  stop(): Promise<void>;
}

let databases = 0;

async function storeOn({ at, admin, shape, closed }: RunningPostgres): Promise<TestStore> {
  const open = new Map<string, Database>();
  const letGo = async (name: string) => {
    const db = open.get(name);
    if (!open.delete(name)) return;
    await db?.destroy();
    // Also of servers that the test has started on it.
    await sql`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = ${name}`.execute(admin);
    closed.push(name);
  };
  /** A database that a test has closed, empty, unless the test has changed its tables or its settings. */
  const reused = async (): Promise<{ name: string; db: Database } | undefined> => {
    const name = closed.pop();
    if (name === undefined) return undefined;
    const db = connect(at(name));
    if ((await shapeOf(db)) === shape) {
      await empty(db);
      return { name, db };
    }
    await db.destroy();
    await sql.raw(`DROP DATABASE ${name} WITH (FORCE)`).execute(admin);
    return reused();
  };
  const created = async () => {
    const name = `test_${++databases}`;
    await sql.raw(`CREATE DATABASE ${name} TEMPLATE template`).execute(admin);
    return { name, db: connect(at(name)) };
  };
  const fresh = async (): Promise<TestDatabase> => {
    const { name, db } = (await reused()) ?? (await created());
    open.set(name, db);
    return { db, connection: at(name), close: () => letGo(name) };
  };
  const first = await fresh();
  return {
    db: first.db,
    connection: first.connection,
    fresh,
    close: async () => {
      for (const name of [...open.keys()]) await letGo(name);
    },
  };
}

/** Real PostgreSQL in its own directory, on a Unix socket, so that ports cannot collide. */
async function startPostgres(): Promise<RunningPostgres> {
  const { initdb, postgres, user } = await findPostgres();
  const dir = await mkdtemp(join(tmpdir(), 'fanion-pg-'));
  if (user !== undefined) await chown(dir, user.uid, user.gid);
  await promisify(execFile)(
    initdb,
    [`--pgdata=${dir}`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: dir },
  );
  // Nothing needs to outlive the test, so nothing is synced to disk.
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'];
  const child = spawn(postgres, ['-D', dir, '-k', dir, '-h', '', ...settings.flatMap((setting) => ['-c', setting])], {
    ...user,
    cwd: dir,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  // If the worker is killed, the end of the run does this (test/support/leftovers.ts).
  const note = `${dir}.pid`;
  await writeFile(note, String(child.pid));
  await untilReady(child);

  const at = (database: string) => ({ host: dir, port: 5432, user: 'postgres', database });
  const admin = connect(at('postgres'));
  await sql`CREATE DATABASE template`.execute(admin);
  const template = connect(at('template'));
  await migrate(template);
  const shape = await shapeOf(template);
  await template.destroy();
  return {
    at,
    admin,
    shape,
    closed: [],
    async stop() {
      await admin.destroy();
      const ended = once(child, 'exit');
      // Immediate shutdown: the directory is deleted anyway.
      child.kill('SIGQUIT');
      await ended;
      process.removeListener('exit', killWithUs);
      await Promise.all([rm(dir, { recursive: true, force: true }), rm(note)]);
    },
  };
}

async function untilReady(child: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-10_000);
      if (said.includes('database system is ready to accept connections')) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${said}`)));
  });
}

let sharedPglite: Promise<TestStore> | undefined;

/**
 * The embedded control plane that the test files of a worker share. It has one database, which is empty at the start of
 * each file and which `fresh` empties. It ends with the worker.
 */
export async function startTestPglite(): Promise<TestStore> {
  sharedPglite ??= startPglite();
  const store = await sharedPglite;
  await store.fresh();
  return { ...store, close: async () => {} };
}

async function startPglite(): Promise<TestStore> {
  const dir = await mkdtemp(join(tmpdir(), 'fanion-pglite-'));
  const store = await startControlStore({ dir, log: { info() {}, warn() {}, error() {} } });
  const db = connect(store.connection);
  await migrate(db);
  const base = { db, connection: store.connection, close: async () => {} };
  return {
    ...base,
    fresh: async () => {
      await empty(db);
      return base;
    },
  };
}

/** Numbers that change when a table, a column, an index or a constraint is added or removed. */
async function shapeOf(db: Database): Promise<string> {
  const { rows } = await sql`
    SELECT (SELECT count(*) FROM pg_class) AS tables, (SELECT count(*) FROM pg_attribute) AS columns,
      (SELECT count(*) FROM pg_constraint) AS constraints,
      (SELECT count(*) FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase
       WHERE datname = current_database()) AS settings`.execute(db);
  return JSON.stringify(rows);
}

/**
 * Deletes all rows and restarts sequences. `TRUNCATE … CASCADE` of a hundred tables takes 0.2 s, since it makes new
 * files for each of them; a test fills a few.
 */
async function empty(db: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    SELECT quote_ident(relname) AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'migrations'
      AND pg_relation_size(oid) > 0`.execute(db);
  const used = await sql<{ name: string }>`
    SELECT quote_ident(sequencename) AS name FROM pg_sequences WHERE last_value IS NOT NULL`.execute(db);
  const statements = [
    // Neither foreign keys nor triggers are looked at.
    `SET LOCAL session_replication_role = replica`,
    ...rows.map(({ name }) => `DELETE FROM ${name}`),
    ...used.rows.map(({ name }) => `ALTER SEQUENCE ${name} RESTART`),
  ];
  await sql.raw(`DO $$ BEGIN ${statements.join('; ')}; END $$`).execute(db);
  // Makes their files empty again, so that the next call passes over them.
  if (rows.length > 0) await sql.raw(`VACUUM ${rows.map(({ name }) => name).join(', ')}`).execute(db);
}
