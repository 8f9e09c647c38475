import type { ClickHouse } from './client.ts';
import type { Cluster } from './cluster.ts';

/** A shard of a cluster. */
export interface Shard {
  readonly number: number;
  /** Its servers, as `host:port`. */
  readonly servers: readonly string[];
  /** Whether one of its servers answers. */
  readonly answers: boolean;
}

/** Of the look at a cluster; ClickHouse itself waits a second for each connection. */
const lookSeconds = 10;

/** Connects to each shard of a cluster. */
export function findShards(
  store: Pick<ClickHouse, 'query'>,
  { name }: Pick<Cluster, 'name'>,
  signal: AbortSignal,
): Promise<readonly Shard[]> {
  return readShards(
    store,
    `(SELECT * FROM system.clusters WHERE cluster = '${name}')`,
    `cluster('${name}', system.one)`,
    signal,
  );
}

/**
 * @param servers SQL: rows as in `system.clusters`
 * @param oneOfEach SQL: a table of which each shard has a row
 */
export async function readShards(
  store: Pick<ClickHouse, 'query'>,
  servers: string,
  oneOfEach: string,
  signal: AbortSignal,
): Promise<readonly Shard[]> {
  const { rows } = await store.query(
    `SELECT toUInt32(shard_num), groupArray(concat(host_name, ':', toString(port))),
      shard_num IN (SELECT shardNum() FROM ${oneOfEach}) FROM ${servers} GROUP BY shard_num ORDER BY shard_num`,
    { settings: { skip_unavailable_shards: 1 }, limits: { maxSeconds: lookSeconds }, signal },
  );
  return rows.map(([number, servers, answers]) => ({
    number: Number(number),
    servers: Array.isArray(servers) ? servers.map(String) : [],
    answers: answers === 1,
  }));
}

/**
 * Lets a statement leave out shards that are away, but not more of them than are known to be. Without the limit, a shard that goes away after
 * the look would be left out silently.
 */
export function withoutShards(away: readonly Shard[]): Readonly<Record<string, string | number>> {
  return {
    skip_unavailable_shards: 1,
    // A shard without the table is a defect, not an absence.
    skip_unavailable_shards_mode: 'unavailable',
    max_skip_unavailable_shards_num: away.length,
  };
}
