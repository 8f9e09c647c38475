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
  stop(): Promise<void>;
}

let databases = 0;

async function storeOn({ at, admin }: RunningPostgres): Promise<TestStore> {
  const open = new Map<string, Database>();
  const letGo = async (name: string) => {
    const db = open.get(name);
    if (!open.delete(name)) return;
    await db?.destroy();
    await sql.raw(`DROP DATABASE ${name} WITH (FORCE)`).execute(admin);
  };
  const fresh = async (): Promise<TestDatabase> => {
    const name = `test_${++databases}`;
    await sql.raw(`CREATE DATABASE ${name} TEMPLATE template`).execute(admin);
    const db = connect(at(name));
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
  await template.destroy();
  return {
    at,
    admin,
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
      const tables = await sql<{ name: string }>`
        SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`.execute(
        db,
      );
      await sql.raw(`TRUNCATE ${tables.rows.map(({ name }) => name).join(', ')} RESTART IDENTITY CASCADE`).execute(db);
      return base;
    },
  };
}
