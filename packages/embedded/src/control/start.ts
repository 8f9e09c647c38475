import { join, resolve } from 'node:path';
import type { EmbeddedStore, StoreLog, Watchdog } from '../store.ts';
import { compiledEntry } from '../supervisor/compiled-entry.ts';
import { supervise } from '../supervisor/supervise.ts';
import type { ControlChildConfig } from './child.ts';

export interface ControlStoreOptions {
  /** Everything the store keeps is in here; created where it is missing. */
  dir: string;
  backupDir?: string;
  snapshotEveryMs?: number;
  keepSnapshots?: number;
  watchdog?: Watchdog;
  log: StoreLog;
}

/** For the `Client` and `Pool` of `pg`. */
export interface ControlConnection {
  host: string;
  port: number;
  user: string;
  database: string;
}

/** Starts the embedded control-plane store: PGlite in a child process, behind PostgreSQL's wire protocol. */
export async function startControlStore(
  o: ControlStoreOptions,
): Promise<EmbeddedStore & { connection: ControlConnection }> {
  const dir = resolve(o.dir);
  const socketDir = join(dir, 'socket');
  const { ready: _, ...store } = await supervise<ControlChildConfig, Record<string, never>>({
    name: 'control',
    entry: compiledEntry('./child.ts', import.meta.url),
    config: () => ({ dir, socketDir }),
    startTimeoutMs: 60_000,
    stopTimeoutMs: 12_000,
    watchdog: o.watchdog ?? { everyMs: 2_000, timeoutMs: 30_000 },
    log: o.log,
  });
  const connection = { host: socketDir, port: 5432, user: 'postgres', database: 'postgres' };
  return { url: `postgresql://postgres@/postgres?host=${encodeURIComponent(socketDir)}`, connection, ...store };
}
