/**
 * Derives the telemetry schema of a cluster from the definitions of one server: a local table on each server
 * (`spans_local`, replicated within its shard), a `Distributed` table over all shards under the plain name (`spans`),
 * which everything else reads and writes, and views that read and write the local tables of their own server.
 *
 * The shard of a row is a function of the row, never random, so that a repeated insert is divided into the same parts
 * for the same shards, each of which knows the token: `docs/decisions/0021`.
 */

import type { ClickHouse } from './client.ts';

/** Tables whose sharding key is the key by which rows are looked up and joined. */
export const shardingKeys: Readonly<Record<string, string>> = {
  spans: 'cityHash64(trace_id)',
  trace_index: 'cityHash64(trace_id)',
  span_minutes: 'cityHash64(minute)',
  logs: 'cityHash64(service, time)',
  metric_series: 'series',
  metric_points: 'series',
  metric_histograms: 'series',
  metric_rollups: 'series',
  metric_rollup_hours: 'cityHash64(workspace, project, metric)',
  exemplars: 'series',
  arrivals: 'cityHash64(workspace, project, service)',
  profile_stacks: 'stack_id',
  profile_samples: 'stack_id',
  field_usage: 'cityHash64(workspace, name)',
  service_edges: 'cityHash64(workspace, minute)',
  slo_minutes: 'cityHash64(workspace, slo)',
  ingest_refusals: 'cityHash64(workspace, project)',
  flag_events: 'cityHash64(workspace, unit)',
  flag_evaluations: 'cityHash64(workspace, flag)',
  exposures: 'cityHash64(workspace, unit)',
  experiment_units: 'cityHash64(workspace, unit)',
};

/** Small tables of which every server has a full copy: one set of replicas over all shards, under the plain name. */
const onEveryServer: ReadonlySet<string> = new Set([
  'telemetry_migrations',
  'service_edge_minutes',
  'text_index_parts',
]);

/**
 * A replay may come after a server was down for a long time. A single server forgets tokens only by their number;
 * replicas also forget them by age.
 */
const rememberSeconds = 30 * 86_400;

/** Settings of every statement against a cluster. */
export const clusterSettings = {
  // Acknowledged when the shards have the data, not when the receiving server has queued it on its own disk.
  distributed_foreground_insert: 1,
  // Reads and inserts use the first replica of a shard that answers, so that a read finds what was inserted before it.
  load_balancing: 'in_order',
  // A server that is away runs the statement when it is back, from the queue in Keeper.
  distributed_ddl_output_mode: 'null_status_on_timeout',
  // Of each such statement; in seconds, less than the timeout of a request.
  distributed_ddl_task_timeout: 20,
  // A table in a join or sub-query is read from all shards.
  distributed_product_mode: 'global',
  // INSERT … SELECT aggregates over all shards; otherwise each shard would write its own partial sums.
  parallel_distributed_insert_select: 0,
} as const;

/**
 * The servers of a cluster whose tables have other columns than those of the server that is asked. A server that was away runs what it
 * missed when it is back; one that does not answer is left out.
 */
export async function serversBehind(store: Pick<ClickHouse, 'queryRows'>, cluster: Cluster): Promise<string[]> {
  const rows = await store.queryRows<{ host: string }>(
    schemasOf(`clusterAllReplicas('${cluster.name}', system.columns)`),
    {
      params: { database: cluster.database },
      settings: { skip_unavailable_shards: 1 },
    },
  );
  return rows.map(({ host }) => host);
}

/** @param columns `system.columns` of all servers */
export function schemasOf(columns: string): string {
  const schema = 'cityHash64(arraySort(groupArray((table, name, type))))';
  return `SELECT host FROM (
      SELECT hostName() AS host, ${schema} AS schema FROM ${columns} WHERE database = {database:String} GROUP BY host)
    WHERE schema != (SELECT ${schema} FROM system.columns WHERE database = {database:String}) ORDER BY host`;
}

/** A cluster by its name in the servers' configuration. */
export interface Cluster {
  /** Name in `remote_servers`. */
  readonly name: string;
  /** Names are qualified, since a statement on another server has another current database. */
  readonly database: string;
}

/**
 * Translates one statement of a migration for a cluster, in the order of execution. Throws for a statement of an
 * unknown form, and for a table without a sharding key.
 */
export function onCluster(statement: string, cluster: Cluster): string[] {
  const table = /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(statement)?.[1];
  if (table !== undefined) return tables(statement, table, cluster);
  const view = /^CREATE MATERIALIZED VIEW IF NOT EXISTS (\w+) TO (\w+)/.exec(statement);
  if (view !== null) {
    const [head, name = '', target = ''] = view;
    const select = readingLocally(statement.slice(head.length), cluster);
    return [
      `CREATE MATERIALIZED VIEW IF NOT EXISTS ${everywhere(name, cluster)} TO ${full(local(target), cluster)}${select}`,
    ];
  }
  const altered = /^ALTER TABLE (\w+)/.exec(statement)?.[1];
  if (altered !== undefined) return alters(statement, altered, cluster);
  throw new Error(`this statement has no form on a cluster: ${statement.slice(0, 80)}`);
}

function tables(statement: string, table: string, cluster: Cluster): string[] {
  const parts = local(table);
  const isEverywhere = onEveryServer.has(table);
  const shardingKey = shardingKeys[table];
  if (!isEverywhere && shardingKey === undefined) throw new Error(`${table} has no sharding key`);
  // No {uuid} in the path: a server that is added later must find the existing replicas.
  const path = `'/clickhouse/tables/${isEverywhere ? 'all' : '{shard}'}/${cluster.database}/${parts}'`;
  const replica = isEverywhere ? `'{shard}-{replica}'` : `'{replica}'`;
  const replicated = statement
    .replace(`CREATE TABLE IF NOT EXISTS ${table}`, `CREATE TABLE IF NOT EXISTS ${everywhere(parts, cluster)}`)
    .replace(/\bENGINE = (\w*MergeTree)(?:\(([^)]*)\))?/, (_engine, kind: string, given: string | undefined) => {
      const parameters = [path, replica, ...(given ? [given] : [])];
      return `ENGINE = Replicated${kind}(${parameters.join(', ')})`;
    })
    .replace(
      /\bnon_replicated_deduplication_window = (\d+)/,
      `replicated_deduplication_window = $1, replicated_deduplication_window_seconds = ${rememberSeconds}`,
    );
  if (isEverywhere) return [replicated];
  return [
    replicated,
    `CREATE TABLE IF NOT EXISTS ${everywhere(table, cluster)} AS ${full(parts, cluster)}
ENGINE = Distributed('${cluster.name}', '${cluster.database}', '${parts}', ${shardingKey})`,
  ];
}

/**
 * Columns belong to the Distributed table too; everything else (mutations, TTL, indexes) only to the local table. A
 * mutation that reads other tables reads those of its own server: rows that belong together are on one shard.
 */
function alters(statement: string, table: string, cluster: Cluster): string[] {
  const head = `ALTER TABLE ${table}`;
  const rest = readingLocally(statement.slice(head.length), cluster);
  const of = (name: string, changes = rest) => `ALTER TABLE ${everywhere(name, cluster)}${changes}`;
  const parts = local(table);
  const changesColumns = /^ALTER TABLE \w+\s+(ADD|DROP|MODIFY|RENAME) COLUMN\b/.test(statement);
  const columnsOnly = rest.replace(/, MODIFY ORDER BY \([^)]*\)$/, '');
  return changesColumns && parts !== table ? [of(parts), of(table, columnsOnly)] : [of(parts)];
}

/** Reads the local tables instead. Columns may be qualified by a table's name, so it stays as alias. */
function readingLocally(sql: string, cluster: Cluster): string {
  return sql.replace(
    /\b(FROM|JOIN)\s+(\w+)(\s+AS\s)?/g,
    (_whole, keyword: string, table: string, alias: string | undefined) =>
      `${keyword} ${full(local(table), cluster)}${alias ?? ` AS ${table}`}`,
  );
}

/** The name of the local table. */
function local(table: string): string {
  return onEveryServer.has(table) ? table : `${table}_local`;
}

function full(table: string, { database }: Cluster): string {
  return `${database}.${table}`;
}

function everywhere(table: string, cluster: Cluster): string {
  return `${full(table, cluster)} ON CLUSTER '${cluster.name}'`;
}
