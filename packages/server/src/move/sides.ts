import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedStores } from '../platform/embedded-stores.ts';
import type { DatabaseConnection, DatabaseTarget } from '../platform/postgres/database.ts';
import { openControlSide } from './control.ts';
import type { StoreName } from './moved.ts';
import { openTelemetrySide, type TelemetrySide } from './telemetry-store.ts';

/** The stores of one side of a move, those that are moved. */
export interface Side {
  readonly control: DatabaseConnection | undefined;
  readonly telemetry: TelemetrySide | undefined;
  readonly addresses: Addresses;
  close(): Promise<void>;
}

export interface Addresses {
  readonly control: DatabaseTarget | undefined;
  readonly telemetry: string | undefined;
}

export function openSide(addresses: Addresses, stop: () => Promise<void> = async () => {}): Side {
  const { control, telemetry } = addresses;
  const database = control && openControlSide(control);
  const store = telemetry === undefined ? undefined : openTelemetrySide(telemetry);
  return {
    control: database,
    telemetry: store,
    addresses,
    async close() {
      await database?.close();
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
  const { control, telemetry, stop } = await startEmbeddedStores(dataDir, log, {
    control: stores.includes('control') ? { snapshotEveryMs: 3_600_000 } : undefined,
    telemetry: stores.includes('telemetry') ? {} : undefined,
  });
  return openSide({ control: control?.connection, telemetry: telemetry?.url }, stop);
}

/** The stores whose files are in a data directory. */
export function storesIn(dataDir: string): StoreName[] {
  return (['control', 'telemetry'] as const).filter((store) => existsSync(join(dataDir, store)));
}

/**
 * A segment of the log may be stored in part, by a server that was killed. In another store, which does not know its tokens, all of it would
 * be stored again.
 */
export function refuseUnstoredLog(dataDir: string): void {
  const log = join(dataDir, 'wal');
  const segments = existsSync(log) ? readdirSync(log).filter((name) => name.endsWith('.wal')) : [];
  if (segments.length > 0)
    throw new Error(
      `${log} holds telemetry that is not stored: start the server on its stores, run fanion drain, stop it, and run fanion move again`,
    );
}
