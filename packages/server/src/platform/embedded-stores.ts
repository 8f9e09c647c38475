import { join } from 'node:path';
import {
  type ControlStore,
  lockDataDirectory,
  startControlStore,
  startTelemetryStore,
  type TelemetryStore,
} from '@fanion/embedded';
import { granuleRows } from './clickhouse/granules.ts';

export interface EmbeddedStores {
  readonly control: ControlStore | undefined;
  readonly telemetry: TelemetryStore | undefined;
  /** Also lets go of the directory. */
  stop(): Promise<void>;
}

/**
 * Locks a data directory for this process, and starts those of its stores that are given, both at once.
 * @throws Error if a process uses the directory, or a store does not start
 */
export async function startEmbeddedStores(
  dataDir: string,
  log: Parameters<typeof startControlStore>[0]['log'],
  given: {
    readonly control: { readonly snapshotEveryMs: number } | undefined;
    readonly telemetry: { readonly memoryBytes?: number } | undefined;
  },
): Promise<EmbeddedStores> {
  const lock = lockDataDirectory(dataDir);
  const started = await Promise.allSettled([
    given.control &&
      startControlStore({ dir: join(dataDir, 'control'), backupDir: join(dataDir, 'backups'), log, ...given.control }),
    given.telemetry && startTelemetryStore({ dir: join(dataDir, 'telemetry'), granuleRows, log, ...given.telemetry }),
  ]);
  const [control, telemetry] = [value(started[0]), value(started[1])];
  const stop = async () => {
    await Promise.all([control?.stop(), telemetry?.stop()]);
    lock.release();
  };
  const failed = started.find((result) => result.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  return { control, telemetry, stop };
}

function value<T>(result: PromiseSettledResult<T>): T | undefined {
  return result.status === 'fulfilled' ? result.value : undefined;
}
