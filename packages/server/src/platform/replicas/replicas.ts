import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { isId, newId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Database } from '../postgres/database.ts';
import { areApart, conflictWith, heartbeatOf, isLive, type Replica, type SeenReplica } from './rules.ts';
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
  clock: Clock;
  /** Up to when what this server has acknowledged can be queried, in milliseconds since the epoch; undefined: not known yet. */
  storedTo?: () => number | undefined;
}): Promise<Membership> {
  const { db, replica, log, clock, storedTo = () => undefined } = options;
  await db.transaction().execute(async (trx) => {
    await lockReplicas(trx);
    const conflict = conflictWith(replica, await findReplicas(trx));
    if (conflict !== undefined) throw new ReplicaRefused(conflict);
    await removeSilentReplicas(trx, forgetAfterSeconds);
    await saveReplica(trx, replica);
  });
  let wereApart = false;
  /** Leases, sessions and windows of rules are of each server's own clock. */
  const compareClocks = (controlPlaneMs: number) => {
    const aheadMs = Math.round(clock.now() - controlPlaneMs);
    const apart = areApart(aheadMs);
    if (apart && !wereApart)
      log.warn(
        { aheadMs },
        'the clock of this server differs from that of the control plane: synchronize both with NTP',
      );
    wereApart = apart;
  };
  const beat = async () => {
    try {
      const storedToMs = storedTo();
      const date = storedToMs === undefined ? undefined : new Date(storedToMs);
      const controlPlaneMs = await touchReplica(db, replica.id, date);
      if (controlPlaneMs === undefined) await saveReplica(db, replica);
      else compareClocks(controlPlaneMs);
    } catch (error) {
      log.warn({ err: error }, 'could not write the heartbeat of this server');
    }
  };
  let beating = beat();
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
