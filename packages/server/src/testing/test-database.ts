import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
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
  /** To connect once more, as another server would. */
  readonly connection: Exclude<DatabaseTarget, { url: string }>;
  close(): Promise<void>;
}

/** A store that runs for a test file; it is a database itself and gives out fresh ones. */
export interface TestStore extends TestDatabase {
  /** An empty, migrated database: another one on PostgreSQL, the only one emptied on PGlite. Closed with the store. */
  fresh(): Promise<TestDatabase>;
}

/** For `describe.each(testStores)('… on %s', (_name, start) => …)`: what a store must show, it shows on both. */
export const testStores = [
  ['PostgreSQL', startTestPostgres],
  ['PGlite', startTestPglite],
] as const;

const connectionsPerTest = 10;

function connect(connection: TestDatabase['connection']): Database {
  const options = { maxConnections: connectionsPerTest, timeoutMs: 20_000, onError: () => {} };
  return connectDatabase(connection, options).db;
}

/** Real PostgreSQL in a directory of its own, on a Unix socket in it: no port to collide on. One per test file. */
export async function startTestPostgres(): Promise<TestStore> {
  const { initdb, postgres, user } = await findPostgres();
  const dir = await mkdtemp(join(tmpdir(), 'fanion-pg-'));
  if (user !== undefined) await chown(dir, user.uid, user.gid);
  await promisify(execFile)(
    initdb,
    [`--pgdata=${dir}`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: dir },
  );
  // Nothing here has to outlive the test, so nothing is forced to the disk.
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'];
  const child = spawn(postgres, ['-D', dir, '-k', dir, '-h', '', ...settings.flatMap((setting) => ['-c', setting])], {
    ...user,
    cwd: dir,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  await untilReady(child);

  const at = (database: string) => ({ host: dir, port: 5432, user: 'postgres', database });
  const admin = connect(at('postgres'));
  await sql`CREATE DATABASE template`.execute(admin);
  const template = connect(at('template'));
  await migrate(template);
  await template.destroy();

  const open = new Set<Database>([admin]);
  let count = 0;
  const fresh = async (): Promise<TestDatabase> => {
    const name = `test_${++count}`;
    await sql.raw(`CREATE DATABASE ${name} TEMPLATE template`).execute(admin);
    const db = connect(at(name));
    open.add(db);
    return {
      db,
      connection: at(name),
      close: async () => {
        if (open.delete(db)) await db.destroy();
      },
    };
  };
  const first = await fresh();
  return {
    db: first.db,
    connection: first.connection,
    fresh,
    close: async () => {
      await Promise.all([...open].map((db) => db.destroy()));
      const ended = once(child, 'exit');
      // Immediate shutdown: what is in the directory is thrown away anyway.
      child.kill('SIGQUIT');
      await ended;
      process.removeListener('exit', killWithUs);
      await rm(dir, { recursive: true, force: true });
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

/** The embedded control plane in a directory of its own. It has one database, which `fresh` empties. */
export async function startTestPglite(): Promise<TestStore> {
  const dir = await mkdtemp(join(tmpdir(), 'fanion-pglite-'));
  const store = await startControlStore({ dir, log: { info() {}, warn() {}, error() {} } });
  const db = connect(store.connection);
  await migrate(db);
  let closed = false;
  const base = { db, connection: store.connection };
  return {
    ...base,
    fresh: async () => {
      const tables = await sql<{ name: string }>`
        SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`.execute(
        db,
      );
      await sql.raw(`TRUNCATE ${tables.rows.map(({ name }) => name).join(', ')} RESTART IDENTITY CASCADE`).execute(db);
      return { ...base, close: async () => {} };
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await db.destroy();
      await store.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
