import type { ClickHouse } from '../../platform/clickhouse/index.ts';
import type { DeleteTelemetry } from './telemetry-job.ts';

/** Tenant tables, each with the column that tells when a row is of. */
const tables = [
  ['spans', 'time'],
  ['trace_index', 'start'],
  ['logs', 'time'],
  ['metric_series', 'day'],
  ['metric_points', 'time'],
  ['metric_histograms', 'time'],
  ['exemplars', 'time'],
  ['arrivals', 'hour'],
] as const;

/** Deletes by mutation, table after table; a statement that was cut off is simply run again. */
export function deleteTelemetryFrom(clickhouse: ClickHouse): DeleteTelemetry {
  return async ({ workspace, project, environment, before }, signal) => {
    for (const [table, time] of tables) {
      const conditions = [
        'workspace = {workspace:UInt32}',
        ...(project === undefined ? [] : ['project = {project:UInt32}']),
        ...(environment === undefined ? [] : ['environment = {environment:String}']),
        ...(before === undefined ? [] : [`${time} < toDateTime({before:UInt32})`]),
      ];
      await clickhouse.command(`ALTER TABLE ${table} DELETE WHERE ${conditions.join(' AND ')}`, {
        params: { workspace, project, environment, before: before && Math.floor(before.getTime() / 1000) },
        settings: { mutations_sync: 1 },
        signal,
      });
    }
  };
}
