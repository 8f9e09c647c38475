import type { Compiled } from '@fanion/oql';
import { isClusterFault, type Shard, withoutShards } from '../../clickhouse/index.ts';
import { Failure } from '../../fail.ts';
import type { Budget } from '../question.ts';

/** Shards of the telemetry store; undefined: it has none. */
export type FindShards = ((signal: AbortSignal) => Promise<readonly Shard[]>) | undefined;

/**
 * Asks all shards. Where one is away and the caller allows it, asks the others: only an answer that all shards gave is without a word about it.
 * @param askOthers gets the shards that are away, of which there is at least one
 */
export async function askShards<T>(
  { whenShardsAway, signal }: Pick<Budget, 'whenShardsAway' | 'signal'>,
  findShards: FindShards,
  askAll: () => Promise<T>,
  askOthers: (away: readonly Shard[]) => Promise<T>,
): Promise<T> {
  try {
    return await askAll();
  } catch (error) {
    if (whenShardsAway !== 'skip' || findShards === undefined || !isShardAway(error)) throw error;
    // If the look fails too, the caller gets the failure of the query.
    const shards = await findShards(signal).catch(() => []);
    signal.throwIfAborted();
    const away = shards.filter(({ answers }) => !answers);
    // All answer by now, or none: another attempt is what helps.
    if (away.length === 0 || away.length === shards.length) throw error;
    return askOthers(away);
  }
}

function isShardAway(error: unknown): boolean {
  return error instanceof Failure && isClusterFault(error.cause);
}

/** A statement that leaves out shards. */
export function leavingOut(plan: Compiled, away: readonly Shard[]): Compiled {
  return { ...plan, settings: { ...plan.settings, ...withoutShards(away) } };
}

/** A warning for each shard that an answer leaves out. */
export function warningsOf(away: readonly Shard[]): string[] {
  return away.map(
    ({ number, servers }) =>
      `shard ${number} of the telemetry store (${servers.join(', ')}) does not answer: its rows are missing, so counts and sums are too low`,
  );
}
