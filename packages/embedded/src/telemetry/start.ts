import { randomBytes } from 'node:crypto';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { EmbeddedStore, StoreLog, Watchdog } from '../store.ts';
import { compiledEntry } from '../supervisor/compiled-entry.ts';
import { mallocSettings } from '../supervisor/malloc-settings.ts';
import { supervise } from '../supervisor/supervise.ts';
import type { TelemetryChildCalls, TelemetryChildConfig, TelemetryChildReady } from './child.ts';
import { allocatorSettings } from './engine-memory.ts';
import type { FrozenTelemetry } from './freeze.ts';
import type { GranuleRows } from './granules.ts';

export interface TelemetryStoreOptions {
  /** Holds all data of the store; created if missing. */
  dir: string;
  /** On 127.0.0.1; any free port by default. */
  port?: number;
  /** Random by default. */
  password?: string;
  /** The most memory that the engine may use; a query beyond it fails with code 241. */
  memoryBytes?: number;
  /** Smaller granules for tables that an earlier version created with the engine's own, by their names. */
  granuleRows?: GranuleRows;
  watchdog?: Watchdog;
  log: StoreLog;
}

export interface TelemetryStore extends EmbeddedStore {
  /**
   * Holds back all statements that change rows or tables, for `forMs` at most, and resolves when those that run have ended. Reads go on.
   * @throws Error if they do not end in this time
   */
  holdWrites(forMs: number): Promise<void>;
  /** @throws Error if the time has passed: writes may have run during what the caller did */
  releaseWrites(): Promise<void>;
  /** Freezes all tables, while writes are held, until `removeFrozen` or the next start. */
  freeze(name: string): Promise<void>;
  /** What was frozen; best when writes are released. */
  gatherFrozen(name: string): Promise<FrozenTelemetry>;
  removeFrozen(name: string): Promise<void>;
}

const GIBIBYTE = 1024 ** 3;

/**
 * Starts the embedded telemetry store: chDB in a child process, behind ClickHouse's HTTP protocol. The returned `url`
 * (`http://default:<password>@127.0.0.1:<port>`) is for `@clickhouse/client`.
 * @throws Error if it cannot start, for example on a directory that another process has open.
 */
export async function startTelemetryStore(o: TelemetryStoreOptions): Promise<TelemetryStore> {
  const password = o.password ?? randomBytes(24).toString('base64url');
  const {
    ready,
    prod: _,
    call,
    ...store
  } = await supervise<TelemetryChildConfig, TelemetryChildReady, TelemetryChildCalls>({
    name: 'telemetry',
    entry: compiledEntry('./child.ts', import.meta.url),
    config: (previous) => ({
      dir: resolve(o.dir),
      port: previous?.port ?? o.port ?? 0,
      password,
      memoryBytes: o.memoryBytes ?? defaultMemoryBytes(totalmem()),
      granuleRows: o.granuleRows ?? {},
    }),
    // More than the child runs at once, see there.
    environment: {
      ...mallocSettings,
      UV_THREADPOOL_SIZE: '24',
      JE_MALLOC_CONF: process.env.JE_MALLOC_CONF ?? allocatorSettings,
    },
    startTimeoutMs: 60_000,
    stopTimeoutMs: 12_000,
    watchdog: o.watchdog ?? { everyMs: 2_000, timeoutMs: 15_000 },
    log: o.log,
  });
  return {
    url: `http://default:${encodeURIComponent(password)}@127.0.0.1:${ready.port}`,
    ...store,
    holdWrites: (forMs) => call('holdWrites', forMs),
    releaseWrites: () => call('releaseWrites'),
    freeze: (name) => call('freeze', name),
    gatherFrozen: (name) => call('gatherFrozen', name),
    removeFrozen: (name) => call('removeFrozen', name),
  };
}

/** A third of the machine's memory, since the server and the other store need some too, but at least 1 GiB. */
function defaultMemoryBytes(machineBytes: number): number {
  return Math.max(GIBIBYTE, Math.floor(machineBytes / 3));
}
