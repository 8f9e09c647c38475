import { basename, join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { messageOf } from '../platform/message-of.ts';
import { type Registry, readMetrics } from '../platform/own-metrics.ts';
import type { Addresses } from '../store-copy/sides.ts';
import { CONTROL } from './manifest.ts';
import { ownFiles } from './own-files.ts';
import { type BackupPlace, labelOf } from './place.ts';
import { BackupBusy } from './rows/lock-store.ts';
import { clusterStores } from './rows/write-rows.ts';
import { backupName, timeOfName } from './rules.ts';
import { removeSnapshot, type Snapshot, type Snapshotted, takeSnapshot } from './snapshot.ts';
import type { BackupDone, BackupPlan, Progress } from './write.ts';
import { writeBackupInThread } from './write-thread.ts';

/** The longest time in which telemetry waits in the log for a snapshot: 27,000 files took 4 s on two busy cores (2026-11-28). */
const PAUSE_MS = 30_000;

export interface BackupRequest {
  readonly place: BackupPlace;
  /** Who wants it, for the log and the manifest. */
  readonly by: string;
  readonly keep?: number;
  /** Not if another server has taken one since, in milliseconds since the epoch. */
  readonly unlessSince?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

interface Target {
  readonly name: string;
  readonly by: string;
  readonly keep: number | undefined;
}

/** Embedded stores are frozen and their files copied; of others, rows are read. */
export type BackedUpStores =
  | ({ readonly kind: 'embedded' } & Snapshotted)
  | {
      readonly kind: 'rows';
      readonly addresses: Addresses;
      /** The id of the stores. */
      readonly id: string;
      readonly keyId: string;
      readonly keyFiles: readonly string[];
    }
  | { readonly kind: 'cluster' };

export interface BackupsOptions {
  readonly stores: BackedUpStores;
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

export class Backups {
  readonly #options: BackupsOptions;
  readonly #counts = { success: 0, failure: 0 };
  #lastSuccess: number | undefined;
  #running: Promise<BackupDone> | undefined;
  readonly #stopping = new AbortController();

  constructor(options: BackupsOptions) {
    this.#options = options;
    void options.lastSuccess.then((at) => {
      this.#lastSuccess ??= at;
    });
    readMetrics(options.metrics, {
      fanion_backups_total: {
        help: 'Backups of this server, by result',
        labels: ['result'],
        read: () => [
          [{ result: 'success' }, this.#counts.success],
          [{ result: 'failure' }, this.#counts.failure],
        ],
      },
      fanion_backup_last_success_timestamp_seconds: {
        help: 'When the newest complete backup was taken, as Unix time; 0: none is known',
        read: () => (this.#lastSuccess ?? 0) / 1_000,
      },
    });
  }

  /**
   * Writes a backup into a folder of the place, while the server works. One at a time.
   * @throws the signal's reason when it is aborted; then nothing is left of the backup
   */
  async run(request: BackupRequest): Promise<BackupDone> {
    const { log } = this.#options;
    if (this.#running !== undefined) throw new Error('another backup of this server is running');
    const trail = { by: request.by, place: labelOf(request.place) };
    const began = performance.now();
    this.#running = this.#run(request);
    try {
      const done = await this.#running;
      this.#counts.success++;
      this.#lastSuccess = timeOfName(basename(done.path));
      const seconds = Math.round((performance.now() - began) / 1_000);
      const { path, bytes, rows, removed } = done;
      log.info({ event: 'backup.complete', ...trail, path, bytes, rows, seconds, removed }, 'backup complete');
      return done;
    } catch (error) {
      if (error instanceof BackupBusy) log.debug({ ...trail, reason: messageOf(error) }, 'no backup was taken');
      else {
        this.#counts.failure++;
        log.error({ event: 'backup.fail', ...trail, reason: messageOf(error) }, 'backup failed');
      }
      throw error;
    } finally {
      this.#running = undefined;
    }
  }

  /** Another server has taken the newest backup of the place. @param at in milliseconds since the epoch */
  noted(at: number): void {
    this.#lastSuccess = Math.max(at, this.#lastSuccess ?? 0);
  }

  /** Ends a backup that runs, and waits for its end. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server is stopping'));
    await this.#running?.catch(() => {
      // The caller gets the error.
    });
  }

  async #run({ place, by, keep, unlessSince, signal, onProgress = () => {} }: BackupRequest): Promise<BackupDone> {
    const { stores } = this.#options;
    if (stores.kind === 'cluster') throw new Error(clusterStores);
    const ended = signal === undefined ? this.#stopping.signal : AbortSignal.any([signal, this.#stopping.signal]);
    const name = backupName(this.#options.clock.now());
    if (stores.kind === 'embedded')
      return this.#runEmbedded(stores, { place, by, keep, name }, { onProgress, signal: ended });
    const { addresses, id, keyId, keyFiles } = stores;
    const plan = { name, by, keep, unlessSince, fanion: this.#options.version, server: id, keyId, keyFiles };
    return writeBackupInThread(
      { place, what: { kind: 'rows', plan, stores: addresses } },
      { onProgress, signal: ended },
    );
  }

  async #runEmbedded(
    snapshotted: Snapshotted,
    { place, ...target }: { readonly place: BackupPlace } & Target,
    how: { readonly onProgress: (progress: Progress) => void; readonly signal: AbortSignal },
  ): Promise<BackupDone> {
    const { name } = target;
    how.onProgress({ phase: 'pausing', done: 0, total: 0 });
    const snapshot = await takeSnapshot(snapshotted, name, PAUSE_MS);
    this.#options.log.info({ pausedMs: Math.round(snapshot.pausedMs) }, 'snapshot for a backup taken');
    try {
      return await writeBackupInThread({ place, what: { kind: 'files', plan: this.#planOf(snapshot, target) } }, how);
    } finally {
      await removeSnapshot(snapshotted, name);
    }
  }

  #planOf({ control, telemetry, log: frozen, takenAt, workspaces }: Snapshot, { by, ...target }: Target): BackupPlan {
    const own = ownFiles(this.#options.dataDir);
    return {
      ...target,
      sources: [
        { from: control, to: CONTROL, gzip: true },
        { from: join(telemetry.dir, 'engine'), to: 'telemetry/engine' },
        { from: frozen.dir, to: 'wal' },
        ...own.sources,
      ],
      head: {
        fanion: this.#options.version,
        taken: new Date(takenAt).toISOString(),
        server: this.#options.server,
        by,
        secretKey: own.secretKey,
        workspaces,
        telemetry: { rows: telemetry.rows },
        log: { segments: frozen.segments, bytes: frozen.bytes },
      },
    };
  }
}
