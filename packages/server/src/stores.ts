import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ControlStore,
  lockDataDirectory,
  startControlStore,
  startTelemetryStore,
  type TelemetryStore,
} from '@fanion/embedded';
import { RESTORING } from './backup/own-files.ts';
import type { Config } from './config.ts';
import { granuleRows } from './platform/clickhouse/granules.ts';
import { startEmbeddedStores } from './platform/embedded-stores.ts';
import type { Log } from './platform/log.ts';
import type { DatabaseTarget } from './platform/postgres/database.ts';
import { refuseMovedStores, type StoreName } from './store-copy/moved.ts';

/** The addresses of the two stores, embedded or external. */
export interface Stores {
  readonly database: DatabaseTarget;
  readonly clickhouseUrl: string;
  readonly telemetryStore: 'embedded' | 'external';
  readonly controlStore: 'embedded' | 'external';
  /** Those that are embedded. */
  readonly embedded: { readonly control: ControlStore | undefined; readonly telemetry: TelemetryStore | undefined };
  /** How often embedded stores were restarted. */
  restarts(): { readonly control: number; readonly telemetry: number };
  stop(): Promise<void>;
}

/** Locks the data directory for this process, and starts the stores that are not external, both at once. */
export async function openStores(config: Config, log: Log): Promise<Stores> {
  if (existsSync(join(config.dataDir, RESTORING)))
    throw new Error(
      `A restore into ${config.dataDir} is not complete. Wait for its end; if it was interrupted, empty the directory and run it again.`,
    );
  refuseMovedStores(config.dataDir, storesOf({ control: config.databaseUrl, telemetry: config.clickhouseUrl }));
  const { control, telemetry, stop } = await startEmbeddedStores(config.dataDir, log, {
    control: config.databaseUrl === undefined ? { snapshotEveryMs: config.snapshotEveryMs } : undefined,
    telemetry: config.clickhouseUrl === undefined ? { memoryBytes: config.engineMemoryBytes } : undefined,
  });
  const database = control?.connection ?? (config.databaseUrl === undefined ? undefined : { url: config.databaseUrl });
  const clickhouseUrl = telemetry?.url ?? config.clickhouseUrl;
  if (database === undefined || clickhouseUrl === undefined)
    throw new Error('a store has neither been started nor configured');
  return {
    database,
    clickhouseUrl,
    controlStore: control ? 'embedded' : 'external',
    telemetryStore: telemetry ? 'embedded' : 'external',
    embedded: { control, telemetry },
    restarts: () => ({ control: control?.restarts() ?? 0, telemetry: telemetry?.restarts() ?? 0 }),
    stop,
  };
}

/** The stores that are not at an address of their own. */
function storesOf(addresses: Readonly<Record<StoreName, string | undefined>>): StoreName[] {
  return (['control', 'telemetry'] as const).filter((store) => addresses[store] === undefined);
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Resolves with the first signal to stop; a second one ends the process at once. */
export function untilToldToStop(): Promise<StopSignal> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve(signal));
  });
}

/** `fanion stores`: the embedded stores alone, until the process gets a signal to stop. */
export async function runStores(options: {
  dataDir: string;
  clickhouse: boolean;
  postgres: boolean;
  port: number | undefined;
  password: string | undefined;
}): Promise<number> {
  const log = {
    info() {},
    warn: (o: object, msg: string) => console.error(msg, o),
    error: (o: object, msg: string) => console.error(msg, o),
  };
  const told = untilToldToStop();
  refuseMovedStores(options.dataDir, [
    ...(options.postgres ? (['control'] as const) : []),
    ...(options.clickhouse ? (['telemetry'] as const) : []),
  ]);
  const lock = lockDataDirectory(options.dataDir);
  const [control, telemetry] = await Promise.all([
    options.postgres
      ? startControlStore({
          dir: join(options.dataDir, 'control'),
          backupDir: join(options.dataDir, 'backups'),
          snapshotEveryMs: 600_000,
          log,
        })
      : undefined,
    options.clickhouse
      ? startTelemetryStore({
          dir: join(options.dataDir, 'telemetry'),
          granuleRows,
          log,
          ...(options.port !== undefined && { port: options.port }),
          ...(options.password !== undefined && { password: options.password }),
        })
      : undefined,
  ]);
  if (control)
    console.log(
      `DATABASE_URL='postgres://${control.connection.user}@/${control.connection.database}?host=${encodeURIComponent(control.connection.host)}&port=${control.connection.port}'`,
    );
  if (telemetry) console.log(`CLICKHOUSE_URL='${telemetry.url}'`);
  await told;
  await Promise.all([control?.stop(), telemetry?.stop()]);
  lock.release();
  return 0;
}
