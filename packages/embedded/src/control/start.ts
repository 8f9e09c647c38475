import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { EmbeddedStore, StoreLog, Watchdog } from '../store.ts';
import { compiledEntry } from '../supervisor/compiled-entry.ts';
import { mallocSettings } from '../supervisor/malloc-settings.ts';
import { supervise } from '../supervisor/supervise.ts';
import { keepBallast } from './ballast.ts';
import type { ControlChildCalls, ControlChildConfig, ControlChildReady } from './child.ts';
import { socketDirectory } from './socket-directory.ts';

export interface ControlStoreOptions {
  /** Holds all data of the store; created if missing. */
  dir: string;
  /** Directory of snapshots; by default `backups` inside `dir`. */
  backupDir?: string;
  /** Five minutes by default. A snapshot is taken only if something has changed. */
  snapshotEveryMs?: number;
  /** How many of the newest snapshots are kept; 5 by default. */
  keepSnapshots?: number;
  /**
   * Milliseconds after which a client is disconnected that idles in its transaction while others wait; 30,000 by
   * default.
   */
  idleInTransactionMs?: number;
  watchdog?: Watchdog;
  /** Disk space that is reserved for when the disk is full; 64 MiB by default. */
  ballastBytes?: number;
  log: StoreLog;
}

const BALLAST_BYTES = 64 * 1024 ** 2;
/** A segment of the database's log takes 16 MB. */
const LOW_BYTES = 32 * 1024 ** 2;
/** After a full disk, a database that is silent for this long counts as stuck. */
const STUCK_AFTER_MS = 2_000;

/** For the `Client` and `Pool` of `pg`. */
export interface ControlConnection {
  /** The directory of the Unix socket. */
  host: string;
  port: number;
  user: string;
  database: string;
}

export interface ControlStore extends EmbeddedStore {
  readonly connection: ControlConnection;
  /**
   * Packs the database into a tar file, while its clients wait, which stays until `removeFrozen` or the next start.
   * @returns the path of the file
   * @throws Error if a transaction keeps it waiting for longer
   */
  freeze(name: string, withinMs: number): Promise<string>;
  removeFrozen(name: string): Promise<void>;
}

/**
 * Starts the embedded control-plane store: PGlite in a child process, behind PostgreSQL's wire protocol on a
 * Unix socket in a directory of mode 0700 (it asks for no password).
 * @throws Error if it cannot start, for example on a directory that another process has open.
 */
export async function startControlStore(o: ControlStoreOptions): Promise<ControlStore> {
  const dir = resolve(o.dir);
  const socket = socketDirectory(dir);
  const {
    ready: _,
    prod,
    call,
    ...store
  } = await supervise<ControlChildConfig, ControlChildReady, ControlChildCalls>({
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
    // Memory at rest: functions of WebAssembly are compiled when they are first called, by one thread beside the main one, and the young
    // generation, which does not shrink, stays below 6 MiB.
    execArgv: ['--wasm-lazy-compilation', '--v8-pool-size=1', '--max-semi-space-size=2'],
    environment: mallocSettings,
    startTimeoutMs: 60_000,
    stopTimeoutMs: 12_000,
    // PGlite does not answer while it runs a statement, so this also limits the time of one statement.
    watchdog: o.watchdog ?? { everyMs: 2_000, timeoutMs: 30_000 },
    log: o.log,
  });
  const ballast = keepBallast({
    dir,
    bytes: o.ballastBytes ?? BALLAST_BYTES,
    lowBytes: LOW_BYTES,
    everyMs: 500,
    // The store may be stuck in a failed write or between two failed starts; waiting helps neither.
    onRoom: () => prod(STUCK_AFTER_MS),
    log: o.log,
  });
  return {
    ...store,
    url: `postgresql://postgres@/postgres?host=${encodeURIComponent(socket.path)}`,
    connection: { host: socket.path, port: 5432, user: 'postgres', database: 'postgres' },
    freeze: (name, withinMs) => call('freeze', name, withinMs),
    removeFrozen: (name) => call('removeFrozen', name),
    async stop() {
      await ballast.stop();
      await store.stop();
      if (socket.temporary) await rm(socket.path, { recursive: true, force: true });
    },
  };
}
