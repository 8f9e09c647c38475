import { resolve } from 'node:path';
import { type Backups, createBackups } from '../backup/backups.ts';
import { scheduleBackups } from '../backup/schedule.ts';
import { countWorkspaces } from '../backup/store.ts';
import { newestBackup } from '../backup/write.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { version } from '../version.ts';
import type { Built } from './parts.ts';
import type { Platform } from './platform.ts';
import type { Stops } from './stops.ts';

/** Backups, by schedule too. */
export async function openBackups(
  { stores, db, replica }: Platform,
  { parts, ingest }: Built,
  { config, log, clock }: { config: Config; log: Log; clock: Clock },
  stops: Stops,
): Promise<Backups> {
  const { directory: given, ...rest } = config.backups;
  const schedule = given === undefined ? undefined : { ...rest, directory: resolve(given) };
  const lastSuccess =
    schedule &&
    (await newestBackup(schedule.directory).catch((error: unknown) => {
      log.error({ err: error }, 'the directory of backups cannot be read');
      return undefined;
    }));
  const { control, telemetry } = stores.embedded;
  const backups = createBackups({
    // One snapshot can hold both stores only if both are embedded.
    snapshotted: control &&
      telemetry && {
        control,
        telemetry,
        log: ingest.log,
        countWorkspaces: () => countWorkspaces(db),
        now: () => clock.now(),
      },
    dataDir: config.dataDir,
    server: replica,
    version,
    metrics: parts.ownMetrics,
    clock,
    log,
    lastSuccess,
  });
  stops.add(() => backups.stop());
  if (schedule !== undefined) {
    const scheduled = scheduleBackups(schedule, { backups, lastSuccess, clock });
    stops.add(() => scheduled.stop());
  }
  return backups;
}
