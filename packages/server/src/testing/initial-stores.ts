import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readConfig } from '../config.ts';
import { migrateTelemetry } from '../platform/clickhouse/index.ts';
import { createLog } from '../platform/log.ts';
import { connectDatabase } from '../platform/postgres/database.ts';
import { migrate } from '../platform/postgres/migrate.ts';
import { openStores } from '../stores.ts';

const run = promisify(execFile);

/** The files of the two stores, below a data directory. */
const STORE_FILES = { control: 'control/pgdata', telemetry: 'telemetry/engine' } as const;

/**
 * Gives a new data directory the files of stores that are empty and migrated: a server starts on them in a third of the time. A
 * run makes these files once. Where there are stores already, or outside of a run, nothing happens.
 */
export async function layInitialStores(
  dataDir: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<void> {
  const folder = process.env.FANION_TEST_FOLDER;
  if (folder === undefined) return;
  const external = { control: env.DATABASE_URL, telemetry: env.CLICKHOUSE_URL };
  for (const store of ['control', 'telemetry'] as const) {
    if (external[store] !== undefined) continue;
    const target = join(dataDir, STORE_FILES[store]);
    if (existsSync(dirname(target))) continue;
    const source = join(await madeOnce(folder), STORE_FILES[store]);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await run('cp', ['-R', source, target]);
  }
}

let made: Promise<string> | undefined;

/** Both workers of a run may make it; the first to have finished is right. */
function madeOnce(folder: string): Promise<string> {
  const target = join(folder, 'initial-stores');
  made ??= existsSync(target) ? Promise.resolve(target) : make(folder, target);
  return made;
}

async function make(folder: string, target: string): Promise<string> {
  const dataDir = await mkdtemp(join(folder, 'initial-'));
  const config = readConfig({ FANION_DATA_DIR: dataDir, FANION_ENGINE_MEMORY: '2GiB' });
  const stores = await openStores(config, createLog('error'));
  const { db, close } = connectDatabase(stores.database, { maxConnections: 1, timeoutMs: 20_000, onError: () => {} });
  await Promise.all([migrate(db), migrateTelemetry({ url: stores.clickhouseUrl, database: 'fanion' })]);
  await close();
  await stores.stop();
  try {
    await rename(dataDir, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
    await rm(dataDir, { recursive: true, force: true });
  }
  return target;
}
