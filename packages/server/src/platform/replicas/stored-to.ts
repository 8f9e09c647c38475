import type { Database } from '../postgres/database.ts';
import { type StoredTo, storedToOf } from './rules.ts';
import { findReplicas } from './store.ts';

/**
 * Reads up to when what all servers have acknowledged can be queried. This server knows its own log; others publish theirs with
 * their heartbeat.
 */
export function createStoredTo(options: {
  readonly db: Database;
  /** This server. */
  readonly replica: string;
  readonly own: () => number;
}): () => Promise<StoredTo> {
  const { db, replica, own } = options;
  return async () => {
    // Before the others are read: what is acknowledged meanwhile is later.
    const ownMs = own();
    const others = (await findReplicas(db)).filter(({ id }) => id !== replica);
    return storedToOf(ownMs, others);
  };
}
