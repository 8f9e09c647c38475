import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedStores } from '../platform/embedded-stores.ts';
import { connectDatabase, type DatabaseConnection, type DatabaseTarget } from '../platform/postgres/database.ts';
import { readMoved, type StoreName } from './moved.ts';
import { openTelemetrySide, type TelemetrySide } from './telemetry-store.ts';

/** The stores of one side of a move, those that are moved. */
export interface Side {
  readonly control: DatabaseConnection | undefined;
  readonly telemetry: TelemetrySide | undefined;
  /** The control plane of the data directory, if it stays there. */
  readonly staying: DatabaseConnection | undefined;
  readonly addresses: Addresses;
  close(): Promise<void>;
}

/** One statement, which copies a hundred rows at most. */
const STATEMENT_MS = 120_000;

export function openControlSide(target: DatabaseTarget): DatabaseConnection {
  // The error of a broken connection reaches the statement that runs on it.
  return connectDatabase(target, { maxConnections: 2, timeoutMs: STATEMENT_MS, onError: () => {} });
}

export interface Addresses {
  readonly control: DatabaseTarget | undefined;
  readonly telemetry: string | undefined;
}

export function openSide(
  addresses: Addresses,
  { staying, stop = async () => {} }: { staying?: DatabaseTarget | undefined; stop?: () => Promise<void> } = {},
): Side {
  const { control, telemetry } = addresses;
  const database = control && openControlSide(control);
  const other = staying && openControlSide(staying);
  const store = telemetry === undefined ? undefined : openTelemetrySide(telemetry);
  return {
    control: database,
    telemetry: store,
    staying: other,
    addresses,
    async close() {
      await database?.close();
      await other?.close();
      await store?.close();
      await stop();
    },
  };
}

/**
 * Starts the embedded stores of a data directory without a server, which cannot start meanwhile.
 * @throws Error if a process uses the directory
 */
export async function openEmbeddedSide(dataDir: string, stores: readonly StoreName[]): Promise<Side> {
  // Their warnings have no place in the command's output; what fails reaches the command.
  const log = { info() {}, warn() {}, error() {} };
  const isMoved = stores.includes('control');
  const { control, telemetry, stop } = await startEmbeddedStores(dataDir, log, {
    control: isMoved || staysIn(dataDir, 'control') ? { snapshotEveryMs: 3_600_000 } : undefined,
    telemetry: stores.includes('telemetry') ? {} : undefined,
  });
  const addresses = { control: isMoved ? control?.connection : undefined, telemetry: telemetry?.url };
  return openSide(addresses, { staying: isMoved ? undefined : control?.connection, stop });
}

/** Where the stores of a server are; undefined: in its data directory. */
export interface StoreUrls {
  readonly database: string | undefined;
  readonly clickhouse: string | undefined;
}

/** The stores at their addresses, and those of the data directory for the others, which no server may use meanwhile. */
export async function openMixedSide(dataDir: string, { database, clickhouse }: StoreUrls): Promise<Side> {
  const missing: StoreName[] = [
    ...(database === undefined ? (['control'] as const) : []),
    ...(clickhouse === undefined ? (['telemetry'] as const) : []),
  ];
  const embedded = missing.length === 0 ? undefined : await openEmbeddedSide(dataDir, missing);
  const addresses = {
    control: database === undefined ? embedded?.addresses.control : { url: database },
    telemetry: clickhouse ?? embedded?.addresses.telemetry,
  };
  return openSide(addresses, { stop: async () => embedded?.close() });
}

/** Whether a server uses this store of a data directory: the files of one that was moved away stay. */
function staysIn(dataDir: string, store: StoreName): boolean {
  return storesIn(dataDir).includes(store) && readMoved(dataDir)?.stores.includes(store) !== true;
}

/** The stores whose files are in a data directory. */
export function storesIn(dataDir: string): StoreName[] {
  return (['control', 'telemetry'] as const).filter((store) => existsSync(join(dataDir, store)));
}

/**
 * A segment of the log may be stored in part, by a server that was killed. In another store, which does not know its tokens, all of it would
 * be stored again.
 */
export function refuseUnstoredLog(
  dataDir: string,
  advice = 'start the server on its stores, run fanion drain, stop it, and run fanion move again',
): void {
  const log = join(dataDir, 'wal');
  const segments = existsSync(log) ? readdirSync(log).filter((name) => name.endsWith('.wal')) : [];
  if (segments.length > 0) throw new Error(`${log} holds telemetry that is not stored: ${advice}`);
}
