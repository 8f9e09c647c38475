import { type BackedUpStores, Backups } from '../backup/backups.ts';
import { openTarget } from '../backup/open-place.ts';
import { type BackupPlace, placeOf } from '../backup/place.ts';
import { idOfStores } from '../backup/rows/write-rows.ts';
import { scheduleBackups } from '../backup/schedule.ts';
import { countWorkspaces } from '../backup/store.ts';
import { newestBackup } from '../backup/write.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import { keyIdOf } from '../platform/encryption.ts';
import type { Log } from '../platform/log.ts';
import { version } from '../version.ts';
import type { Built } from './parts.ts';
import type { Platform } from './platform.ts';
import type { Stops } from './stops.ts';

/** Backups, by schedule too. */
export function openBackups(
  platform: Platform,
  built: Built,
  { config, log, clock }: { config: Config; log: Log; clock: Clock },
  stops: Stops,
): Backups {
  const { directory, s3, ...rest } = config.backups;
  const schedule = directory === undefined ? undefined : { ...rest, place: placeOf(directory, s3) };
  const stores = backedUpStores(platform, built, { config, clock });
  const owner = stores.kind === 'rows' ? stores.id : platform.replica;
  const stopped = new AbortController();
  stops.add(() => stopped.abort(new Error('the server is stopping')));
  // The server does not wait for a bucket to start.
  const lastSuccess =
    schedule === undefined
      ? Promise.resolve(undefined)
      : newestIn(schedule.place, owner, { log, stopped: stopped.signal });
  const backups = new Backups({
    stores,
    dataDir: config.dataDir,
    server: platform.replica,
    version,
    metrics: built.parts.ownMetrics,
    clock,
    log,
    lastSuccess,
  });
  stops.add(() => backups.stop());
  if (schedule !== undefined) {
    const scheduled = scheduleBackups(schedule, {
      backups,
      lastSuccess,
      readNewest: () => newestIn(schedule.place, owner, { log, stopped: stopped.signal }),
      clock,
    });
    stops.add(() => scheduled.stop());
  }
  return backups;
}

function backedUpStores(
  { stores, db, replica }: Platform,
  { ingest }: Built,
  { config, clock }: { readonly config: Config; readonly clock: Clock },
): BackedUpStores {
  const { control, telemetry } = stores.embedded;
  // One snapshot can hold both stores only if both are embedded.
  if (control && telemetry)
    return {
      ...{ kind: 'embedded', control, telemetry, log: ingest.log },
      countWorkspaces: () => countWorkspaces(db),
      now: () => clock.now(),
    };
  if (config.clickhouseCluster !== undefined) return { kind: 'cluster' };
  return {
    kind: 'rows',
    addresses: { control: stores.database, telemetry: stores.clickhouseUrl },
    id: idOfStores({ database: config.databaseUrl, clickhouse: config.clickhouseUrl }, replica),
    keyId: keyIdOf(config.secretKey),
    keyFiles: config.keyFiles,
  };
}

/** In milliseconds since the epoch; undefined: there is none, or the place cannot be read. */
async function newestIn(
  place: BackupPlace,
  owner: string,
  { log, stopped }: { readonly log: Log; readonly stopped: AbortSignal },
): Promise<number | undefined> {
  const target = openTarget(place, stopped);
  try {
    return await newestBackup(target, owner);
  } catch (error) {
    if (!stopped.aborted) log.error({ err: error }, 'the place of backups cannot be read');
    return undefined;
  } finally {
    target.close();
  }
}
