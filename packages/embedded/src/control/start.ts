import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { EmbeddedStore, StoreLog, Watchdog } from '../store.ts';
import { compiledEntry } from '../supervisor/compiled-entry.ts';
import { supervise } from '../supervisor/supervise.ts';
import { keepBallast } from './ballast.ts';
import type { ControlChildConfig, ControlChildReady } from './child.ts';
import { socketDirectory } from './socket-directory.ts';

export interface ControlStoreOptions {
  /** Everything the store keeps is in here; created where it is missing. */
  dir: string;
  /** Where snapshots go; `backups` inside of `dir` when left out. */
  backupDir?: string;
  /** Five minutes when left out. A snapshot is only taken when something has changed. */
  snapshotEveryMs?: number;
  /** How many snapshots are kept, the newest ones; 5 when left out. */
  keepSnapshots?: number;
  /**
   * A client that idles inside its transaction while others wait is cut off after so many milliseconds;
   * 30,000 when left out.
   */
  idleInTransactionMs?: number;
  watchdog?: Watchdog;
  /** Room on the disk that is kept for when there is none left; 64 MiB when left out. */
  ballastBytes?: number;
  log: StoreLog;
}

const BALLAST_BYTES = 64 * 1024 ** 2;
/** A segment of the database's log takes 16 MB. */
const LOW_BYTES = 32 * 1024 ** 2;
/** After a full disk, a database that does not answer for so long does not answer at all. */
const STUCK_AFTER_MS = 2_000;

/** For the `Client` and `Pool` of `pg`. */
export interface ControlConnection {
  /** The directory of the Unix socket. */
  host: string;
  port: number;
  user: string;
  database: string;
}

/**
 * Starts the embedded control-plane store: PGlite in a child process, behind PostgreSQL's wire protocol on a
 * Unix socket in a directory of mode 0700 (it asks for no password).
 * @throws Error when it cannot start, such as on a directory that another process has open.
 */
export async function startControlStore(
  o: ControlStoreOptions,
): Promise<EmbeddedStore & { connection: ControlConnection }> {
  const dir = resolve(o.dir);
  const socket = socketDirectory(dir);
  const {
    ready: _,
    prod,
    ...store
  } = await supervise<ControlChildConfig, ControlChildReady>({
    name: 'control',
    entry: compiledEntry('./child.ts', import.meta.url),
    config: () => ({
      dir,
      socketDir: socket.path,
      backupDir: resolve(o.backupDir ?? join(dir, 'backups')),
      snapshotEveryMs: o.snapshotEveryMs ?? 5 * 60_000,
      keepSnapshots: o.keepSnapshots ?? 5,
      idleInTransactionMs: o.idleInTransactionMs ?? 30_000,
    }),
    startTimeoutMs: 60_000,
    stopTimeoutMs: 12_000,
    // PGlite does not answer while it runs a statement, so this also bounds what one statement may take.
    watchdog: o.watchdog ?? { everyMs: 2_000, timeoutMs: 30_000 },
    log: o.log,
  });
  const ballast = keepBallast({
    dir,
    bytes: o.ballastBytes ?? BALLAST_BYTES,
    lowBytes: LOW_BYTES,
    everyMs: 500,
    // Stuck in a write that failed, or between two starts that failed: there is no point in waiting for either.
    onRoom: () => prod(STUCK_AFTER_MS),
    log: o.log,
  });
  return {
    ...store,
    url: `postgresql://postgres@/postgres?host=${encodeURIComponent(socket.path)}`,
    connection: { host: socket.path, port: 5432, user: 'postgres', database: 'postgres' },
    async stop() {
      await ballast.stop();
      await store.stop();
      if (socket.temporary) await rm(socket.path, { recursive: true, force: true });
    },
  };
}
