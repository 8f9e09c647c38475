import { basename, join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { messageOf } from '../platform/message-of.ts';
import { type Registry, readMetrics } from '../platform/own-metrics.ts';
import { CONTROL } from './manifest.ts';
import { ownFiles } from './own-files.ts';
import type { BackupPlace } from './place.ts';
import { backupName, timeOfName } from './rules.ts';
import { removeSnapshot, type Snapshot, type Snapshotted, takeSnapshot } from './snapshot.ts';
import type { BackupDone, BackupPlan, Progress } from './write.ts';
import { writeBackupInThread } from './write-thread.ts';

/** The longest time in which telemetry waits in the log for a snapshot: 27,000 files took 4 s on two busy cores (2026-11-28). */
const PAUSE_MS = 30_000;

export interface Backups {
  /**
   * Writes a backup into a folder of the place, while the server works. One at a time.
   * @throws the signal's reason when it is aborted; then nothing is left of the backup
   */
  run(request: BackupRequest): Promise<BackupDone>;
  /** Ends a backup that runs, and waits for its end. */
  stop(): Promise<void>;
}

export interface BackupRequest {
  readonly place: BackupPlace;
  readonly keep?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface BackupsOptions {
  /** Undefined: a store is not embedded. */
  readonly snapshotted: Snapshotted | undefined;
  readonly dataDir: string;
  /** The id of this server. */
  readonly server: string;
  readonly version: string;
  readonly metrics: Registry;
  readonly clock: Clock;
  readonly log: Log;
  /** When the newest backup of an earlier process was taken, in milliseconds since the epoch. */
  readonly lastSuccess: Promise<number | undefined>;
}

export function createBackups(options: BackupsOptions): Backups {
  const { clock, log } = options;
  const counts = { success: 0, failure: 0 };
  let lastSuccess: number | undefined;
  void options.lastSuccess.then((at) => {
    lastSuccess ??= at;
  });
  let running: Promise<BackupDone> | undefined;
  const stopping = new AbortController();
  readMetrics(options.metrics, {
    fanion_backups_total: {
      help: 'Backups of this server, by result',
      labels: ['result'],
      read: () => [
        [{ result: 'success' }, counts.success],
        [{ result: 'failure' }, counts.failure],
      ],
    },
    fanion_backup_last_success_timestamp_seconds: {
      help: 'When the newest complete backup was taken, as Unix time; 0: none is known',
      read: () => (lastSuccess ?? 0) / 1_000,
    },
  });

  async function run({ place, keep, signal, onProgress = () => {} }: BackupRequest): Promise<BackupDone> {
    const { snapshotted } = options;
    if (snapshotted === undefined) throw new Error(externalStores);
    const ended = signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]);
    const name = backupName(clock.now());
    onProgress({ phase: 'pausing', done: 0, total: 0 });
    const snapshot = await takeSnapshot(snapshotted, name, PAUSE_MS);
    log.info({ pausedMs: Math.round(snapshot.pausedMs) }, 'snapshot for a backup taken');
    try {
      return await writeBackupInThread(
        { place, plan: planOf(snapshot, { name, keep }) },
        { onProgress, signal: ended },
      );
    } finally {
      await removeSnapshot(snapshotted, name);
    }
  }

  function planOf(
    { control, telemetry, log: frozen, takenAt, workspaces }: Snapshot,
    target: { readonly name: string; readonly keep: number | undefined },
  ): BackupPlan {
    const own = ownFiles(options.dataDir);
    return {
      ...target,
      sources: [
        { from: control, to: CONTROL, gzip: true },
        { from: join(telemetry.dir, 'engine'), to: 'telemetry/engine' },
        { from: frozen.dir, to: 'wal' },
        ...own.sources,
      ],
      head: {
        fanion: options.version,
        taken: new Date(takenAt).toISOString(),
        server: options.server,
        secretKey: own.secretKey,
        workspaces,
        telemetry: { rows: telemetry.rows },
        log: { segments: frozen.segments, bytes: frozen.bytes },
      },
    };
  }

  return {
    async run(request) {
      if (running !== undefined) throw new Error('another backup of this server is running');
      running = run(request);
      try {
        const done = await running;
        counts.success++;
        lastSuccess = timeOfName(basename(done.path));
        log.info({ path: done.path, bytes: done.bytes, removed: done.removed }, 'backup complete');
        return done;
      } catch (error) {
        counts.failure++;
        log.error({ reason: messageOf(error) }, 'backup failed');
        throw error;
      } finally {
        running = undefined;
      }
    },
    async stop() {
      stopping.abort(new Error('the server is stopping'));
      await running?.catch(() => {
        // Whoever asked for it gets the error.
      });
    },
  };
}

/** For a server whose stores have backups of their own. */
export const externalStores = `this server's stores are not embedded, and have backups of their own. Back up PostgreSQL first:
  pg_dump --format=custom --file=fanion.dump "$DATABASE_URL"
then ClickHouse:
  clickhouse-client --query "BACKUP DATABASE fanion TO Disk('backups', 'fanion.zip')"
Keep FANION_SECRET_KEY, too. docs/guides/running-with-postgres-and-clickhouse.md explains the order and the restore.`;
