/**
 * Backups of a whole server.
 * - Of embedded stores: a snapshot (`snapshot.ts`) freezes the tables, the log and the database at one moment, by hard links; then a thread of
 *   low priority copies it.
 * - With PostgreSQL or ClickHouse: `rows` reads the rows of both stores over their protocols.
 *
 * Both go to a target (`target.ts`), a folder or a bucket, the manifest last. A restore checks every file before it gives the stores to a
 * server. docs/decisions/0143 explains why.
 */

import { keyFilesIn } from '../config/secret-key.ts';
import { keyIdOf } from '../platform/encryption.ts';
import { askOperator, NoServer } from '../platform/operator/index.ts';
import { replicaId } from '../platform/replicas/index.ts';
import { openMixedSide, type StoreUrls } from '../store-copy/sides.ts';
import { version } from '../version.ts';
import { FILES_FORMAT, type Manifest } from './manifest.ts';
import { openTarget } from './open-place.ts';
import { placeOf, type S3Settings } from './place.ts';
import { restoreBackup } from './restore.ts';
import type { Restorer } from './restored.ts';
import { restoreRows } from './rows/restore-rows.ts';
import { clusterStores, idOfStores, writeRows } from './rows/write-rows.ts';
import { backupBy, backupName } from './rules.ts';
import { backUpStopped } from './stopped.ts';
import type { BackupSource } from './target.ts';
import { type OnBytes, readManifest } from './verify.ts';
import type { BackupDone, Progress } from './write.ts';

export { type Manifest, summaryOf } from './manifest.ts';
export { openSource } from './open-place.ts';
export { absolutePlace, placeOf } from './place.ts';
export { leaveRestored, restoredOf } from './restored.ts';
export { bytesText } from './rules.ts';
export type { BackupSource } from './target.ts';
export { verifyBackup } from './verify.ts';

/** Stores that are not in a data directory, as the environment of a command names them. */
export interface StoreSettings {
  readonly databaseUrl: string | undefined;
  readonly clickhouseUrl: string | undefined;
  readonly clickhouseCluster: string | undefined;
  readonly secretKey: Buffer | undefined;
}

export interface BackUpRequest {
  readonly dataDir: string;
  /** An absolute directory or a bucket, which a running server opens with its own credentials. */
  readonly to: string;
  /** For a command without a running server. */
  readonly s3: S3Settings;
  readonly stores: StoreSettings;
  /** Who runs the command. */
  readonly by: string;
  readonly now: () => number;
}

interface How {
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/**
 * Asks the server of a data directory to write a backup. If none runs, reads the rows of the stores that the environment names, or copies
 * the directory.
 */
export async function backUp(request: BackUpRequest, { onProgress, signal }: How): Promise<BackupDone> {
  const { dataDir, to, s3, now } = request;
  try {
    // Server and command are of one version, or at least of one protocol.
    const command = { command: 'backup', arguments: { directory: to, by: request.by } };
    return (await askOperator(dataDir, command, (report) => onProgress(report as Progress), signal)) as BackupDone;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof NoServer)) throw error;
    const { databaseUrl, clickhouseUrl } = request.stores;
    if (databaseUrl !== undefined || clickhouseUrl !== undefined) return backUpRows(request, { onProgress, signal });
    return backUpStopped(
      { dataDir, place: placeOf(to, s3), by: backupBy(request.by), now: now() },
      { onProgress, signal },
    );
  }
}

async function backUpRows({ dataDir, to, s3, stores, by, now }: BackUpRequest, how: How): Promise<BackupDone> {
  const { databaseUrl, clickhouseUrl, clickhouseCluster, secretKey } = stores;
  if (clickhouseCluster !== undefined) throw new Error(clusterStores);
  const urls = { database: databaseUrl, clickhouse: clickhouseUrl };
  // First, since an invalid place needs no stores.
  const place = placeOf(to, s3);
  const side = await openMixedSide(dataDir, urls);
  const target = openTarget(place, how.signal);
  try {
    const isWhole = databaseUrl !== undefined && clickhouseUrl !== undefined;
    const plan = {
      name: backupName(now()),
      fanion: version,
      by: backupBy(by),
      server: idOfStores(urls, isWhole ? '' : await replicaId(dataDir)),
      keyId: secretKey === undefined ? null : keyIdOf(secretKey),
      keyFiles: databaseUrl === undefined && secretKey === undefined ? keyFilesIn(dataDir) : [],
    };
    return await writeRows(target, plan, side, { ...how, now });
  } finally {
    target.close();
    await side.close();
  }
}

export interface RestoreRequest {
  readonly backup: BackupSource;
  /** Gets the stores that have no address. */
  readonly dataDir: string;
  readonly stores: StoreSettings;
  readonly restorer: Restorer;
}

export interface RestoreDone {
  readonly manifest: Manifest;
  /** Tables of telemetry of which only the number of rows could be compared with the backup. */
  readonly notCompared: readonly string[];
}

/**
 * Restores a backup into stores that hold nothing, which no server may use meanwhile.
 * @throws Error if a store is not empty, or the backup is damaged or of a newer version
 */
export async function restore(
  { backup, dataDir, stores, restorer }: RestoreRequest,
  on: { readonly verified: OnBytes; readonly copied: OnBytes },
): Promise<RestoreDone> {
  const { databaseUrl: database, clickhouseUrl: clickhouse, clickhouseCluster, secretKey } = stores;
  const manifest = await readManifest(backup, version);
  if (manifest.format === FILES_FORMAT) {
    refuseUrls({ database, clickhouse });
    return { manifest: await restoreBackup({ backup, dataDir, restorer }, on), notCompared: [] };
  }
  if (clickhouseCluster !== undefined)
    throw new Error('a backup is not restored into a cluster of ClickHouse servers: unset CLICKHOUSE_CLUSTER');
  const keyId = secretKey && keyIdOf(secretKey);
  const urls = { database, clickhouse };
  const notCompared = await restoreRows({ backup, manifest, dataDir, urls, keyId, restorer }, on);
  return { manifest, notCompared };
}

function refuseUrls({ database, clickhouse }: StoreUrls): void {
  if (database === undefined && clickhouse === undefined) return;
  throw new Error(
    'this backup is of embedded stores: unset DATABASE_URL and CLICKHOUSE_URL, restore it into a data directory, and run fanion move',
  );
}
