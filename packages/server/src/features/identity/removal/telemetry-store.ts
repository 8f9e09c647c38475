import { type ClickHouse, type Cluster, onCluster } from '../../../platform/clickhouse/index.ts';
import type { DeleteTelemetry, TelemetryPlace } from './telemetry-job.ts';

/**
 * Tenant tables in the order in which they are emptied, each with what makes a row one of before a moment. An arrival
 * is of its last item, and a trace of its first.
 */
const tables = [
  ['spans', 'time < toDateTime64({before:UInt32}, 9)'],
  ['trace_index', 'start < toDateTime64({before:UInt32}, 9)'],
  ['logs', 'time < toDateTime64({before:UInt32}, 9)'],
  ['metric_points', 'time < toDateTime64({before:UInt32}, 3)'],
  ['metric_histograms', 'time < toDateTime64({before:UInt32}, 3)'],
  ['exemplars', 'time < toDateTime64({before:UInt32}, 3)'],
  ['profile_samples', 'time < toDateTime64({before:UInt32}, 9)'],
  ['flag_events', 'time < toDateTime64({before:UInt32}, 9)'],
  ['exposures', 'first_at < toDateTime64({before:UInt32}, 9)'],
  ['flag_evaluations', 'minute < toStartOfMinute(toDateTime({before:UInt32}))'],
  // What a later environment of the name may share is kept: whole days and buckets from before go.
  ['profile_stacks', 'day < toDate(toDateTime({before:UInt32}))'],
  ['service_edges', 'minute < toStartOfMinute(toDateTime({before:UInt32}))'],
  ['ingest_refusals', 'hour < toStartOfHour(toDateTime({before:UInt32}))'],
  ['field_usage', 'bucket < toStartOfFifteenMinutes(toDateTime({before:UInt32}))'],
  ['arrivals', 'last_at < toDateTime64({before:UInt32}, 3)'],
] as const;

/**
 * Deletes by mutation, table after table; a statement that was cut off is simply run again.
 * @param cluster where there is one, the parts of all its servers are mutated
 */
export function deleteTelemetryFrom(clickhouse: Pick<ClickHouse, 'command'>, cluster?: Cluster): DeleteTelemetry {
  return async (place, signal) => {
    const { workspace, project, environment, before } = place;
    const options = {
      params: { workspace, project, environment, before: before && Math.floor(before.getTime() / 1000) },
      settings: cluster === undefined ? { mutations_sync: 1 } : clusterMutation,
      signal,
    };
    for (const statement of deletionsOf(place))
      for (const form of cluster === undefined ? [statement] : onCluster(statement, cluster))
        await clickhouse.command(form, options);
  };
}

/** On all replicas before the next table; replicas take a statement with a sub-query only when told that it is meant. */
const clusterMutation = { mutations_sync: 2, allow_nondeterministic_mutations: 1 };

/** Statements with the parameters of a place, in the order in which they are run. */
export function deletionsOf(place: Pick<TelemetryPlace, 'project' | 'environment' | 'before'>): string[] {
  const where = conditionOf(place);
  const { before } = place;
  const statements = tables.map(
    ([table, isBefore]) =>
      `ALTER TABLE ${table} DELETE WHERE ${where}${before === undefined ? '' : ` AND ${isBefore}`}`,
  );
  // A series is written once a day and shared by the points of that day: where points stay, so does their series.
  const orphaned = `series NOT IN (SELECT series FROM metric_points WHERE ${where} UNION ALL SELECT series FROM metric_histograms WHERE ${where})`;
  return [
    ...statements,
    `ALTER TABLE metric_series DELETE WHERE ${where}${before === undefined ? '' : ` AND day <= toDate(toDateTime({before:UInt32})) AND ${orphaned}`}`,
  ];
}

function conditionOf({ project, environment }: Pick<TelemetryPlace, 'project' | 'environment'>): string {
  return [
    'workspace = {workspace:UInt32}',
    ...(project === undefined ? [] : ['project = {project:UInt32}']),
    ...(environment === undefined ? [] : ['environment = {environment:String}']),
  ].join(' AND ');
}
