import { type ClickHouse, type Cluster, onCluster } from '../../../platform/clickhouse/index.ts';
import type { TenantTable } from '../../feature.ts';
import { inGroups, type TelemetryPlace } from './telemetry-rules.ts';

/** What is left of a place in a table. */
export type Left =
  | { readonly state: 'nothing' }
  /** The store rewrites parts. */
  | { readonly state: 'deleting'; readonly parts: number }
  /** It could not; what it was ordered is withdrawn, so that it holds up no other deletion. */
  | { readonly state: 'failed'; readonly reason: string };

/** Deletes the rows of a place from a table, a step at a time. Steps may be repeated or left out at any point. */
export type DeleteTelemetry = (table: TenantTable, place: TelemetryPlace, signal: AbortSignal) => Promise<Left>;

/** Of one statement that looks for rows. A partition with more is read alone. */
const mostRead = { partitions: 500, rows: 500_000_000 };
/** Of one statement that deletes: the engine takes 256 KiB of text. */
const mostDeleted = { partitions: 200, rows: Number.POSITIVE_INFINITY };
const lookSeconds = 50;
/** The same where rows are read for their attributes, which are most of their bytes. */
const mostReadOfAttributes = { partitions: 50, rows: 20_000_000 };
const lookAtAttributesSeconds = 600;

interface Store {
  readonly clickhouse: Pick<ClickHouse, 'command' | 'queryRows'>;
  readonly cluster: Cluster | undefined;
}

/**
 * Deletes by mutations in the partitions that have rows of the place. The store keeps them over restarts and rewrites parts in the
 * background, so a step only looks how far it is, and orders what is missing. The rows that are left are the state: a step that was
 * interrupted anywhere continues with what there is. Why not partition by partition: docs/decisions/0126.
 * @param cluster if set, mutates the parts of all its servers
 */
export function deleteTelemetryFrom(clickhouse: Store['clickhouse'], cluster?: Cluster): DeleteTelemetry {
  const store = { clickhouse, cluster };
  return async (table, place, signal) => {
    if (place.holds !== undefined && table.holds === undefined) return { state: 'nothing' };
    const running = await ordered(store, table.name, place, signal);
    const failed = running.filter(({ reason }) => reason !== '');
    for (const { mutation } of failed) await withdraw(store, table.name, mutation);
    const [first] = failed;
    if (first !== undefined) return { state: 'failed', reason: first.reason };
    if (running.length > 0) return { state: 'deleting', parts: running.reduce((sum, { parts }) => sum + parts, 0) };
    const partitions = await filled(store, table, place, signal);
    if (partitions.length === 0) return { state: 'nothing' };
    for (const statement of deletionsOf(table, place, partitions))
      for (const form of cluster === undefined ? [statement] : onCluster(statement, cluster))
        await clickhouse.command(form, {
          params: parametersOf(place),
          // Replicas accept a statement with a sub-query only with the second one.
          settings: { mutations_sync: 0, ...(cluster !== undefined && { allow_nondeterministic_mutations: 1 }) },
          signal,
        });
    return { state: 'deleting', parts: partitions.length };
  };
}

function namesIn(cluster: Cluster | undefined) {
  return {
    everywhere: (table: string) =>
      cluster === undefined ? `system.${table}` : `clusterAllReplicas('${cluster.name}', system.${table})`,
    database: cluster === undefined ? 'currentDatabase()' : `'${cluster.database}'`,
    local: (table: string) => (cluster === undefined ? table : `${table}_local`),
  };
}

/** The mutations of the place that are not done. */
async function ordered(
  { clickhouse, cluster }: Store,
  table: string,
  { removal }: TelemetryPlace,
  signal: AbortSignal,
) {
  const { everywhere, database, local } = namesIn(cluster);
  const rows = await clickhouse.queryRows<{ mutation: string; parts: string; reason: string }>(
    `SELECT mutation_id AS mutation, max(parts_to_do) AS parts, any(latest_fail_reason) AS reason FROM ${everywhere('mutations')}
     WHERE database = ${database} AND table = {table:String} AND NOT is_done AND NOT is_killed AND position(command, {mark:String}) > 0
     GROUP BY mutation_id`,
    { params: { table: local(table), mark: markOf(removal) }, signal },
  );
  return rows.map(({ parts, ...one }) => ({ ...one, parts: Number(parts) }));
}

async function withdraw({ clickhouse, cluster }: Store, table: string, mutation: string): Promise<void> {
  const { database, local } = namesIn(cluster);
  const where = `WHERE database = ${database} AND table = {table:String} AND mutation_id = {mutation:String}`;
  await clickhouse.command(`KILL MUTATION${cluster === undefined ? '' : ` ON CLUSTER '${cluster.name}'`} ${where}`, {
    params: { table: local(table), mutation },
  });
}

/** The partitions that have rows of the place. */
async function filled(
  { clickhouse, cluster }: Store,
  table: TenantTable,
  place: TelemetryPlace,
  signal: AbortSignal,
): Promise<string[]> {
  const { everywhere, database, local } = namesIn(cluster);
  const partitions = await clickhouse.queryRows<{ id: string; rows: string }>(
    `SELECT partition_id AS id, sum(rows) AS rows FROM ${everywhere('parts')}
     WHERE database = ${database} AND table = {table:String} AND active GROUP BY id ORDER BY id`,
    { params: { table: local(table.name) }, signal },
  );
  const found: string[] = [];
  for (const group of inGroups(
    partitions.map(({ id, rows }) => ({ id, rows: Number(rows) })),
    place.holds === undefined ? mostRead : mostReadOfAttributes,
  )) {
    const rows = await clickhouse.queryRows<{ id: string }>(
      `SELECT DISTINCT _partition_id AS id FROM ${table.name} WHERE _partition_id IN {ids:Array(String)} AND ${conditionOf(table, place)}`,
      {
        params: { ...parametersOf(place), ids: group.map(({ id }) => id) },
        // One thread, so that those who wait for an answer are hardly slower for it.
        settings: { max_threads: 1 },
        limits: { maxRowsToRead: 0, maxSeconds: place.holds === undefined ? lookSeconds : lookAtAttributesSeconds },
        signal,
      },
    );
    found.push(...rows.map(({ id }) => id).sort());
  }
  return found;
}

/** Statements with the parameters of a place, for partitions of a table. */
export function deletionsOf(table: TenantTable, place: TelemetryPlace, partitions: readonly string[]): string[] {
  // The mark is a condition that always holds: the store lists it with the mutation.
  const where = `${conditionOf(table, place)} AND '${markOf(place.removal)}' != ''`;
  const groups = inGroups(
    partitions.map((id) => ({ id, rows: 0 })),
    mostDeleted,
  );
  return groups.map(
    (group) =>
      `ALTER TABLE ${table.name} ${group.map(({ id }) => `DELETE IN PARTITION ID '${id}' WHERE ${where}`).join(', ')}`,
  );
}

function markOf(removal: string): string {
  return `removal ${removal}`;
}

function parametersOf({ workspace, project, environment, before, holds }: TelemetryPlace): Record<string, unknown> {
  return { workspace, project, environment, before: before && Math.floor(before.getTime() / 1000), ...holds };
}

function conditionOf(table: TenantTable, { project, environment, before, holds }: TelemetryPlace): string {
  const where = [
    'workspace = {workspace:UInt32}',
    ...(project === undefined ? [] : ['project = {project:UInt32}']),
    ...(environment === undefined ? [] : ['environment = {environment:String}']),
  ].join(' AND ');
  if (holds !== undefined) return `${where} AND ${table.holds?.(where) ?? 'false'}`;
  return before === undefined ? where : `${where} AND ${table.isBefore(where)}`;
}
