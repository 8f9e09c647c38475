import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDataDirectory, lockStoppedStore, packStoppedDatabase, stoppedTables } from '@fanion/embedded';
import { replicaId } from '../platform/replicas/index.ts';
import { version } from '../version.ts';
import { CONTROL } from './manifest.ts';
import { openTarget } from './open-place.ts';
import { ownFiles } from './own-files.ts';
import type { BackupPlace } from './place.ts';
import { backupName } from './rules.ts';
import { type BackupDone, type Progress, type Source, writeBackup } from './write.ts';

interface StoppedRequest {
  readonly dataDir: string;
  readonly place: BackupPlace;
  /** Who takes it, for the manifest. */
  readonly by: string;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Backs up the data directory of a server that does not run, and which cannot start meanwhile.
 * @throws Error if a process uses it
 */
export async function backUpStopped(
  { dataDir, place, by, now }: StoppedRequest,
  { onProgress, signal }: { readonly onProgress: (progress: Progress) => void; readonly signal: AbortSignal },
): Promise<BackupDone> {
  const control = join(dataDir, 'control');
  const telemetry = join(dataDir, 'telemetry');
  const wal = join(dataDir, 'wal');
  if (!existsSync(dataDir)) throw new Error(`there is no data directory ${dataDir}; name one with --data`);
  const lock = lockDataDirectory(dataDir);
  const locks = [lock];
  try {
    if (!existsSync(control) || !existsSync(telemetry))
      throw new Error(
        `${dataDir} does not hold both embedded stores: if a server uses PostgreSQL or ClickHouse, set DATABASE_URL and CLICKHOUSE_URL as it has them`,
      );
    locks.push(lockStoppedStore(control), lockStoppedStore(telemetry));
    const tar = join(control, 'frozen', 'stopped.tar');
    try {
      await packStoppedDatabase(control, tar);
      const tables = await stoppedTables(telemetry);
      const log = await stoppedLog(wal);
      const own = ownFiles(dataDir);
      const sources: Source[] = [
        { from: tar, to: CONTROL, gzip: true },
        ...tables.paths.map((path) => ({ from: join(telemetry, path), to: `telemetry/${path}` })),
        ...log.paths.map((path) => ({ from: join(wal, path), to: `wal/${path}` })),
        ...own.sources,
      ];
      const head = {
        fanion: version,
        taken: new Date(now).toISOString(),
        server: await replicaId(dataDir),
        by,
        secretKey: own.secretKey,
        workspaces: null,
        telemetry: { rows: tables.rows },
        log: { segments: log.segments, bytes: log.bytes },
      };
      const target = openTarget(place, signal);
      return await writeBackup(target, { name: backupName(now), sources, head }, { onProgress, signal }).finally(() =>
        target.close(),
      );
    } finally {
      await rm(join(control, 'frozen'), { recursive: true, force: true });
    }
  } finally {
    for (const held of locks.reverse()) held.release();
  }
}

/** What the last process left in the log. */
async function stoppedLog(dir: string): Promise<{ paths: string[]; segments: number; bytes: number }> {
  if (!existsSync(dir)) return { paths: [], segments: 0, bytes: 0 };
  const segments = (await readdir(dir)).filter((name) => name.endsWith('.wal'));
  const sizes = await Promise.all(segments.map(async (name) => (await stat(join(dir, name))).size));
  const quarantine = existsSync(join(dir, 'quarantine')) ? ['quarantine'] : [];
  return { paths: [...segments, ...quarantine], segments: segments.length, bytes: sizes.reduce((a, b) => a + b, 0) };
}
