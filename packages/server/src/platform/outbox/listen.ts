import type pg from 'pg';
import type { Log } from '../log.ts';
import { outboxChannel } from './store.ts';

/**
 * Wakes on PostgreSQL's `NOTIFY`, so that a change reaches other replicas in milliseconds. Only a hint: while the
 * connection is down, always on PGlite (whose connections share one session and get no notifications), and behind a pooler in transaction
 * mode, polling does the work.
 * @returns a function that ends it
 */
export function listenForOutbox(pool: pg.Pool, wake: () => void, log: Log, reconnectMs = 5_000): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let client: pg.PoolClient | undefined;

  const lost = (error?: Error) => {
    const gone = client;
    client = undefined;
    if (gone === undefined) return;
    gone.removeAllListeners('notification');
    gone.release(error ?? true);
    retry(error);
  };
  const retry = (error?: unknown) => {
    if (stopped) return;
    log.debug({ err: error }, 'no notifications of the outbox at the moment');
    timer = setTimeout(connect, reconnectMs);
  };
  const connect = async () => {
    try {
      const fresh = await pool.connect();
      client = fresh;
      fresh.once('error', lost);
      fresh.once('end', () => lost());
      fresh.on('notification', wake);
      await fresh.query(`LISTEN ${outboxChannel}`);
      if (stopped) lost();
      // Finds messages that were committed before the LISTEN.
      else wake();
    } catch (error) {
      if (client === undefined) retry(error);
      else lost(error instanceof Error ? error : undefined);
    }
  };
  const connecting = connect();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await connecting;
    lost();
  };
}
