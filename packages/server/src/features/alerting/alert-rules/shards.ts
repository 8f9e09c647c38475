import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { fairShare, shardCount } from './shard-rules.ts';
import {
  claimShards,
  countHolders,
  ensureShards,
  type HeldShard,
  readRevisions,
  releaseShards,
} from './shards-store.ts';

export type Shard = HeldShard;

export interface AlertShards {
  /** Prolongs and claims leases where that is due, and reads the rules of shards that are new or were changed. */
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

type Kept = HeldShard & { readonly loadedAt: number };

/** @param load reads the rules of a shard */
export function createShards(options: {
  db: Database;
  clock: Clock;
  holder: string;
  load: (shard: Shard) => Promise<void>;
}): AlertShards {
  const { db, clock, holder, load } = options;
  let held = new Map<number, Kept>();
  let renewedAt = Number.NEGATIVE_INFINITY;

  /** Reads the rules of a shard that is new or was changed. */
  async function kept(shard: HeldShard): Promise<Kept> {
    const known = held.get(shard.shard);
    const isSame = known?.epoch === shard.epoch && known.revision === shard.revision;
    const now = clock.now();
    if (isSame && now - known.loadedAt < reloadMs) return { ...shard, loadedAt: known.loadedAt };
    await load(shard);
    return { ...shard, loadedAt: now };
  }

  async function keep(shards: readonly HeldShard[]): Promise<void> {
    const next = new Map<number, Kept>();
    for (const shard of shards) next.set(shard.shard, await kept(shard));
    held = next;
  }

  return {
    async renew() {
      const now = clock.now();
      if (Math.abs(now - renewedAt) < renewMs) {
        const revisions = await readRevisions(db, holder);
        const still = [...held.values()].filter(({ shard }) => revisions.has(shard));
        await keep(still.map((one) => ({ ...one, revision: revisions.get(one.shard) ?? one.revision })));
        return;
      }
      if (renewedAt === Number.NEGATIVE_INFINITY) await ensureShards(db, shardCount);
      const share = fairShare(await countHolders(db, holder, new Date(now - seenMs)));
      await keep(await claimShards(db, { holder, share, now: new Date(now), leaseMs }));
      renewedAt = now;
    },
    held: (shard) => held.get(shard),
    lose: (shard) => void held.delete(shard),
    reload(shard) {
      const known = held.get(shard);
      if (known !== undefined) held.set(shard, { ...known, loadedAt: Number.NEGATIVE_INFINITY });
    },
    async release() {
      held = new Map();
      await releaseShards(db, holder);
    },
  };
}
