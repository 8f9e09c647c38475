import { type ClickHouse, type Cluster, onCluster } from '../../../platform/clickhouse/index.ts';
import type { TenantTable } from '../../feature.ts';
import type { DeleteTelemetry, TelemetryPlace } from './telemetry-job.ts';

/**
 * Deletes by mutation, table by table. An interrupted statement is run again.
 * @param cluster if set, mutates the parts of all its servers
 */
export function deleteTelemetryFrom(
  clickhouse: Pick<ClickHouse, 'command'>,
  tables: readonly TenantTable[],
  cluster?: Cluster,
): DeleteTelemetry {
  return async (place, signal) => {
    const { workspace, project, environment, before } = place;
    const options = {
      params: { workspace, project, environment, before: before && Math.floor(before.getTime() / 1000) },
      settings: cluster === undefined ? { mutations_sync: 1 } : clusterMutation,
      signal,
    };
    for (const statement of deletionsOf(tables, place))
      for (const form of cluster === undefined ? [statement] : onCluster(statement, cluster))
        await clickhouse.command(form, options);
  };
}

/**
 * Waits for all replicas before the next table. Replicas accept a statement with a sub-query only with this setting.
 */
const clusterMutation = { mutations_sync: 2, allow_nondeterministic_mutations: 1 };

/** Statements with the parameters of a place, in the order of the tables. */
export function deletionsOf(
  tables: readonly TenantTable[],
  place: Pick<TelemetryPlace, 'project' | 'environment' | 'before'>,
): string[] {
  const where = conditionOf(place);
  return tables.map(
    ({ name, isBefore }) =>
      `ALTER TABLE ${name} DELETE WHERE ${where}${place.before === undefined ? '' : ` AND ${isBefore(where)}`}`,
  );
}

function conditionOf({ project, environment }: Pick<TelemetryPlace, 'project' | 'environment'>): string {
  return [
    'workspace = {workspace:UInt32}',
    ...(project === undefined ? [] : ['project = {project:UInt32}']),
    ...(environment === undefined ? [] : ['environment = {environment:String}']),
  ].join(' AND ');
}
