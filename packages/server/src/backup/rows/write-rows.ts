import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { networkErrorText } from '../../platform/network-error.ts';
import { placeOfUrl, reasonOf } from '../../store-copy/place-rules.ts';
import type { Addresses, Side, StoreUrls } from '../../store-copy/sides.ts';
import { isCluster } from '../../store-copy/telemetry-content-store.ts';
import { type Manifest, ROWS_FORMAT, type RowsManifest } from '../manifest.ts';
import { timeOfName } from '../rules.ts';
import type { BackupTarget } from '../target.ts';
import { type BackupDone, completeBackup, NotReadable, newestBackup, type Progress } from '../write.ts';
import { BackupBusy, lockBackups } from './lock-store.ts';
import { readControl } from './read-control.ts';
import { readTelemetry } from './read-telemetry.ts';
import { createRowFiles, NotWritable } from './row-files.ts';

/** A backup of rows that is to be written. */
export interface RowsPlan {
  readonly name: string;
  /** The version of this program. */
  readonly fanion: string;
  /** Who takes it, for the manifest. */
  readonly by: string;
  /** The id of the stores. */
  readonly server: string;
  readonly keep?: number | undefined;
  /** Not if the place has a newer one, in milliseconds since the epoch. */
  readonly unlessSince?: number | undefined;
  /** The id of the secret key; null: it is not known. */
  readonly keyId: string | null;
  /** Files of a data directory that has the secret key. */
  readonly keyFiles: readonly string[];
}

interface WriteHow {
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Writes the rows of both stores, read over their protocols, while servers work. First the control plane, then telemetry: background work
 * writes telemetry first and notes it afterwards, so an older control plane notes nothing that the telemetry lacks.
 * @throws BackupBusy if another backup runs, or a newer one is there already
 */
export async function writeRows(
  target: BackupTarget,
  plan: RowsPlan,
  side: Side,
  { onProgress, signal, now }: WriteHow,
): Promise<BackupDone> {
  const { control, telemetry, addresses } = side;
  if (control === undefined || telemetry === undefined) throw new Error('a backup needs both stores');
  const ofStores = readingOf(addresses);
  if (await ofStores('telemetry store', () => isCluster(telemetry))) throw new Error(clusterStores);
  // An embedded control plane has one server, which takes one backup at a time.
  const isShared = addresses.control !== undefined && 'url' in addresses.control;
  const lock = isShared ? await ofStores('control plane', () => lockBackups(control)) : undefined;
  const ended = lock === undefined ? signal : AbortSignal.any([signal, lock.lost]);
  try {
    const newest = plan.unlessSince === undefined ? undefined : await newestBackup(target, plan.server);
    if (newest !== undefined && newest > (plan.unlessSince ?? 0))
      throw new BackupBusy('another server has taken the backup');
    const { name, keep, server } = plan;
    return await completeBackup(
      target,
      { name, keep, server, signal: ended },
      async (unfinished): Promise<Manifest> => {
        const files = createRowFiles(unfinished);
        onProgress({ phase: 'copying accounts and flags', done: 0, total: 0 });
        for (const file of plan.keyFiles) await files.put({ path: basename(file), bytes: readFileSync(file), rows: 0 });
        const rows = await ofStores('control plane', () => readControl(control.db, files, ended));
        const onRows = (done: number, total: number) => onProgress({ phase: 'copying rows', done, total });
        const points = await ofStores('telemetry store', () =>
          readTelemetry(telemetry, { files, signal: ended, onRows }),
        );
        const until = new Date(now()).toISOString();
        return manifestOf(plan, { until, control: rows, telemetry: points, files: files.list() });
      },
    );
  } finally {
    await lock?.release();
  }
}

function manifestOf(
  { name, fanion, by, server, keyId, keyFiles }: RowsPlan,
  read: Pick<RowsManifest, 'until' | 'control' | 'telemetry' | 'files'>,
): RowsManifest {
  return {
    format: ROWS_FORMAT,
    fanion,
    taken: new Date(timeOfName(name) ?? 0).toISOString(),
    server,
    by,
    secretKey: keyFiles.length > 0 ? 'included' : 'FANION_SECRET_KEY',
    keyId,
    workspaces: read.control.tables.find((table) => table.name === 'workspaces')?.rows ?? 0,
    ...read,
  };
}

/** Names the store that failed, without passwords. Errors of the place of the backup stay as they are. */
function readingOf({ control, telemetry }: Addresses) {
  const urls = [control !== undefined && 'url' in control ? control.url : undefined, telemetry];
  return async <T>(store: string, read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (error instanceof BackupBusy || error instanceof NotWritable) throw error;
      throw new NotReadable(`the ${store} could not be read: ${reasonOf(networkErrorText(error), urls)}`, {
        cause: error,
      });
    }
  };
}

/**
 * The same for all servers of the same stores, so that they remove old backups of each other.
 * @param replica the id of the server whose data directory has a store without an address
 */
export function idOfStores({ database, clickhouse }: StoreUrls, replica: string): string {
  const text = [database, clickhouse].map((url) => placeOfUrl(url ?? `embedded://${replica}`)).join(' ');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

export const clusterStores = `fanion backup does not read a cluster of ClickHouse servers. Back up PostgreSQL with pg_dump first, then ClickHouse
with its own BACKUP … ON CLUSTER; docs/guides/running-with-postgres-and-clickhouse.md explains the order and the restore.`;
