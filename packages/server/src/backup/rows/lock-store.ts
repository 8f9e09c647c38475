import { messageOf } from '../../platform/message-of.ts';
import type { DatabaseConnection } from '../../platform/postgres/database.ts';

/** Any number that nothing else locks. */
const LOCK = 4_817_263_001;
/** Also keeps proxies from closing the connection. */
const PING_MS = 20_000;

/** Another backup of the same stores runs, or has just been taken. */
export class BackupBusy extends Error {
  override readonly name = 'BackupBusy';
}

export interface BackupLock {
  /** Aborted when the lock is lost, with the connection that has it. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Lets one backup of a PostgreSQL run at a time, of all servers and commands. The lock is of a transaction, since a pooler gives a session to
 * others; an idle one at this isolation level holds back no clean-up. @throws BackupBusy
 */
export async function lockBackups({ pool }: Pick<DatabaseConnection, 'pool'>): Promise<BackupLock> {
  const client = await pool.connect();
  const lost = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onError = (error: Error) =>
    lost.abort(new Error(`the connection to PostgreSQL broke during the backup: ${messageOf(error)}`));
  client.on('error', onError);
  let isBroken = false;
  const release = async () => {
    clearInterval(timer);
    client.off('error', onError);
    await client.query('ROLLBACK').catch(() => {
      // The connection is gone, and with it the lock.
      isBroken = true;
    });
    client.release(isBroken);
  };
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ ours: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS ours', [LOCK]);
    if (rows[0]?.ours !== true) throw new BackupBusy('another backup of these stores is running');
  } catch (error) {
    await release();
    throw error;
  }
  timer = setInterval(() => void client.query('SELECT 1').catch(onError), PING_MS);
  timer.unref();
  return { lost: lost.signal, release };
}
