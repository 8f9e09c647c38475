/** Rules are spread over this many shards; a replica evaluates the rules of the shards that it holds. */
export const shardCount = 16;

/** How many shards a replica holds at most while so many replicas run alerts. */
export function fairShare(replicas: number): number {
  return Math.ceil(shardCount / Math.max(1, replicas));
}
