import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { fairShare, shardCount } from './shard-rules.ts';
import { claimShards, countHolders, ensureShards, type HeldShard, releaseShards } from './shards-store.ts';

export type Shard = HeldShard;

/** A shard whose rules are to be read. */
export interface ShardToRead extends HeldShard {
  /** Another replica may have evaluated its rules since they were read last. */
  readonly isTaken: boolean;
}

export interface AlertShards {
  /**
   * Prolongs and claims leases where that is due, every five seconds, and reads the rules of shards that are new or were changed. Without
   * anything to do it asks the store nothing.
   */
  renew(): Promise<void>;
  /** The shard, if this replica holds it. */
  held(shard: number): Shard | undefined;
  /** Another replica holds it now. */
  lose(shard: number): void;
  /** Reads its rules at the next occasion, changed or not. */
  reload(shard: number): void;
  release(): Promise<void>;
}

const leaseMs = 15_000;
const renewMs = 5_000;
/** Removed projects and environments do not announce themselves to shards, so rules are read again that often. */
const reloadMs = 30_000;
/** A replica that has not been seen for this long takes no share. */
const seenMs = 30_000;

/** As what, and when, the rules of a shard were read. */
interface Read {
  readonly epoch: number;
  readonly revision: number;
  readonly at: number;
}

/** @param load reads the rules of shards */
export function createShards(options: {
  db: Database;
  clock: Clock;
  holder: string;
  load: (shards: readonly ShardToRead[]) => Promise<void>;
}): AlertShards {
  const { db, clock, holder, load } = options;
  let held = new Map<number, HeldShard>();
  const reads = new Map<number, Read>();
  let renewedAt = Number.NEGATIVE_INFINITY;

  async function claim(now: number): Promise<void> {
    if (renewedAt === Number.NEGATIVE_INFINITY) await ensureShards(db, shardCount);
    const share = fairShare(await countHolders(db, holder, new Date(now - seenMs)));
    const claimed = await claimShards(db, { holder, share, now: new Date(now), leaseMs });
    held = new Map(claimed.map((shard) => [shard.shard, shard]));
    for (const shard of reads.keys()) if (!held.has(shard)) reads.delete(shard);
    renewedAt = now;
  }

  function isStale({ shard, epoch, revision }: HeldShard, now: number): boolean {
    const read = reads.get(shard);
    return read?.epoch !== epoch || read.revision !== revision || Math.abs(now - read.at) >= reloadMs;
  }

  /** Each change of holder is a new epoch: after one, this replica took its own shard again, whose lease had run out. */
  function isTaken({ shard, epoch }: HeldShard): boolean {
    const read = reads.get(shard);
    return read === undefined || epoch > read.epoch + 1;
  }

  return {
    async renew() {
      const now = clock.now();
      if (Math.abs(now - renewedAt) >= renewMs) await claim(now);
      const stale = [...held.values()].filter((shard) => isStale(shard, now));
      if (stale.length === 0) return;
      await load(stale.map((shard) => ({ ...shard, isTaken: isTaken(shard) })));
      for (const { shard, epoch, revision } of stale) reads.set(shard, { epoch, revision, at: now });
    },
    held: (shard) => held.get(shard),
    lose(shard) {
      held.delete(shard);
      reads.delete(shard);
    },
    reload(shard) {
      const read = reads.get(shard);
      if (read !== undefined) reads.set(shard, { ...read, at: Number.NEGATIVE_INFINITY });
    },
    async release() {
      held = new Map();
      reads.clear();
      await releaseShards(db, holder);
    },
  };
}
