import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isId, newId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Database } from '../postgres/database.ts';
import type { ClockGuard } from './clock-guard.ts';
import { areApart, conflictWith, heartbeatOf, isLive, type Replica, rolesOf, type SeenReplica } from './rules.ts';
import { findReplicas, lockReplicas, removeReplica, removeSilentReplicas, saveReplica, touchReplica } from './store.ts';

const forgetAfterSeconds = 24 * 3600;

/** This server cannot run beside the running ones; the message says what to configure. */
export class ReplicaRefused extends Error {
  override readonly name = 'ReplicaRefused';
}

export interface Membership {
  /** All live replicas, including this one. */
  live(): Promise<SeenReplica[]>;
  /** Ends the heartbeat and deletes the row, so that another server may start at once. */
  leave(): Promise<void>;
}

/**
 * The id of the server that owns a data directory, created at its first start. It is stored, so that a killed server
 * finds its own row at the next start and does not mistake it for another server. (A lock ensures that only one process
 * at a time owns a data directory.)
 */
export async function replicaId(dataDir: string): Promise<string> {
  const file = join(dataDir, 'replica.id');
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (isId(known.trim())) return known.trim();
  const id = newId();
  await writeFile(file, `${id}\n`, { mode: 0o600 });
  return id;
}

/**
 * Registers this server with the control plane and keeps the registration alive by a heartbeat. Throws `ReplicaRefused`
 * if telemetry would be split: a second live server without `CLICKHOUSE_URL`.
 */
export async function joinReplicas(options: {
  db: Database;
  replica: Replica;
  log: Log;
  /** Is told the control plane's time with each heartbeat. */
  clockGuard: ClockGuard;
  /** Up to when what this server has acknowledged can be queried, in milliseconds since the epoch; undefined: not known yet. */
  storedTo?: () => number | undefined;
}): Promise<Membership> {
  const { db, replica, log, clockGuard, storedTo = () => undefined } = options;
  await db.transaction().execute(async (trx) => {
    await lockReplicas(trx);
    const conflict = conflictWith(replica, await findReplicas(trx));
    if (conflict !== undefined) throw new ReplicaRefused(conflict);
    await removeSilentReplicas(trx, forgetAfterSeconds);
    await saveReplica(trx, replica);
  });
  const reportClock = clockReporter(clockGuard, log);
  let { roles } = replica;
  const beat = async () => {
    try {
      const storedToMs = storedTo();
      const date = storedToMs === undefined ? undefined : new Date(storedToMs);
      const touch = () => touchReplica(db, replica.id, { roles, storedTo: date });
      await clockGuard.compare(async () => {
        const controlPlaneMs = await touch();
        if (controlPlaneMs === undefined) await saveReplica(db, replica);
        return controlPlaneMs;
      });
      reportClock();
      const before = roles;
      roles = rolesOf(replica, clockGuard.isTrusted());
      if (roles !== before) await touch();
    } catch (error) {
      log.warn({ err: error }, 'could not write the heartbeat of this server');
    }
  };
  // Work that depends on the clock begins after it.
  await beat();
  let beating = Promise.resolve();
  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, heartbeatOf(replica));
  timer.unref();
  return {
    live: async () => (await findReplicas(db)).filter(isLive),
    async leave() {
      clearInterval(timer);
      await beating;
      await removeReplica(db, replica.id);
    },
  };
}

/** Logs when the clock of this server begins to differ from the control plane's, and when it no longer counts or counts again. */
function clockReporter(clockGuard: ClockGuard, log: Log): () => void {
  let wereApart = false;
  let wasTrusted = true;
  return () => {
    const aheadMs = Math.round(clockGuard.aheadMs() ?? 0);
    const apart = areApart(aheadMs);
    if (apart && !wereApart)
      log.warn(
        { aheadMs },
        'the clock of this server differs from that of the control plane: synchronize both with NTP',
      );
    wereApart = apart;
    const isTrusted = clockGuard.isTrusted();
    if (!isTrusted && wasTrusted)
      log.error({ aheadMs }, 'this server runs no jobs, alert rules and notifications until its clock is synchronized');
    if (isTrusted && !wasTrusted) log.info({ aheadMs }, 'this server runs jobs again: its clock is synchronized');
    wasTrusted = isTrusted;
  };
}
