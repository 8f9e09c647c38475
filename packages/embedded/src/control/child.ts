import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreLog } from '../store.ts';
import { claimStoreDirectory, DATABASE_FOLDER } from '../store-directory.ts';
import { runChild } from '../supervisor/child.ts';
import { type Database, openDatabase } from './database.ts';
import { type ControlListener, createControlListener } from './listener.ts';
import { packSnapshot, removeUnfinishedSnapshots, takeSnapshot } from './snapshots.ts';
import { SOCKET_NAME } from './socket-directory.ts';
import { ensureDatabaseFolder } from './template.ts';

export interface ControlChildConfig {
  dir: string;
  socketDir: string;
  backupDir: string;
  snapshotEveryMs: number;
  keepSnapshots: number;
  idleInTransactionMs: number;
}

export type ControlChildReady = Record<string, never>;

/** See `ControlStore`. */
export type ControlChildCalls = {
  freeze(name: string, withinMs: number): Promise<string>;
  removeFrozen(name: string): Promise<void>;
};

runChild<ControlChildConfig, ControlChildReady>(async (config, parent, log) => {
  const lock = await claimStoreDirectory(config.dir, parent);
  const folder = join(config.dir, DATABASE_FOLDER);
  await ensureDatabaseFolder(folder);
  const database = await openDatabase(folder);
  const listener = createControlListener(database, {
    idleInTransactionMs: config.idleInTransactionMs,
    onBroken(error) {
      log.error({ error: String(error) }, 'the database has failed, the process ends to be started again');
      setImmediate(() => process.kill(process.pid, 'SIGKILL'));
    },
  });
  await listen(listener, config.socketDir);
  await removeUnfinishedSnapshots(config.backupDir);
  const snapshots = snapshotRegularly(config, folder, database, listener, log);
  const frozen = join(config.dir, 'frozen');
  // Left by a backup that a kill ended.
  await rm(frozen, { recursive: true, force: true });
  const calls: ControlChildCalls = {
    async freeze(name, withinMs) {
      const to = join(frozen, `${name}.tar`);
      const latest = performance.now() + withinMs;
      const alone = (pack: () => Promise<void>) =>
        listener.alone(async () => {
          if (performance.now() > latest)
            throw new Error(`a transaction of the control plane did not end within ${withinMs / 1_000} s`);
          await database.checkpoint();
          await pack();
        });
      await packSnapshot({ folder, to, alone });
      return to;
    },
    async removeFrozen(name) {
      await rm(join(frozen, `${name}.tar`), { force: true });
      // Beside it, from a copy that was ended while it compressed.
      await rm(join(frozen, `${name}.tar.gz`), { force: true });
    },
  };
  return {
    ready: {},
    calls,
    // PGlite runs on this thread, so any answer shows that it does not hang.
    check: async () => {},
    close: async () => {
      // Clients first: a snapshot may be waiting for the end of a transaction.
      await listener.close();
      await snapshots.stop();
      await database.close();
      lock.release();
    },
  };
});

async function listen({ server }: ControlListener, socketDir: string): Promise<void> {
  await mkdir(socketDir, { recursive: true, mode: 0o700 });
  await chmod(socketDir, 0o700);
  const path = join(socketDir, SOCKET_NAME);
  // Left by a killed predecessor; the lock excludes a live one.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

/** Takes snapshots at intervals, unless nothing has changed since the last one. */
function snapshotRegularly(
  { backupDir, snapshotEveryMs, keepSnapshots }: ControlChildConfig,
  folder: string,
  database: Database,
  listener: ControlListener,
  log: StoreLog,
): { stop(): Promise<void> } {
  let lastPosition: string | undefined;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const take = async () => {
    const startedAt = Date.now();
    if ((await listener.alone(() => database.position())) === lastPosition) return;
    const snapshot = await takeSnapshot({
      folder,
      backupDir,
      keep: keepSnapshots,
      at: new Date(startedAt),
      alone: (pack) =>
        listener.alone(async () => {
          lastPosition = await database.checkpoint();
          await pack();
        }),
    });
    log.info({ snapshot, ms: Date.now() - startedAt }, 'snapshot of the control store taken');
  };
  const schedule = () => {
    timer = setTimeout(() => {
      running = take()
        .catch((error) => {
          lastPosition = undefined;
          log.error({ error: String(error) }, 'snapshot of the control store failed');
        })
        .finally(() => {
          if (!stopped) schedule();
        });
    }, snapshotEveryMs);
  };
  schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
