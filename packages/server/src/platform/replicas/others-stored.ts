import type { Clock } from '../clock.ts';
import type { Database } from '../postgres/database.ts';
import { type SeenReplica, type StoredTo, storedToOf } from './rules.ts';
import { findReplicas } from './store.ts';

/** Up to when other servers have stored what they acknowledged, which they publish with their heartbeats. */
export interface OthersStored {
  /**
   * Reads what they have published. Throws while the control plane is down.
   * @param maxAgeMs unless that was read so long ago at most
   */
  refresh(maxAgeMs?: number): Promise<void>;
  /**
   * Up to when everything acknowledged can be queried, as far as `refresh` has read.
   * @param ownMs of this server, in milliseconds since the epoch
   */
  withOwn(ownMs: number): StoredTo;
}

/** Reading what they have published costs a statement. */
const readMs = 1_000;

/** @param replica this server */
export function createOthersStored({
  db,
  replica,
  clock,
}: {
  readonly db: Database;
  readonly replica: string;
  readonly clock: Clock;
}): OthersStored {
  let others: readonly SeenReplica[] = [];
  let last: { readonly at: number; readonly done: Promise<void> } | undefined;

  async function read(): Promise<void> {
    others = (await findReplicas(db)).filter(({ id }) => id !== replica);
  }

  return {
    refresh(maxAgeMs = readMs) {
      const now = clock.now();
      if (last === undefined || Math.abs(now - last.at) >= maxAgeMs) last = { at: now, done: read() };
      return last.done;
    },
    withOwn: (ownMs) => storedToOf(ownMs, others),
  };
}
