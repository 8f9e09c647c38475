export {
  type ClickHouse,
  type ClickHouseOptions,
  type ClickHouseTarget,
  createClickHouse,
  defaultLimits,
  type InsertOptions,
  type QueryAnswer,
  type QueryCost,
  type QueryLimits,
  type QueryOptions,
} from './client.ts';
export { type Cluster, clusterSettings, onCluster } from './cluster.ts';
export { isBadRows, regexFaultOf, storeErrorCode } from './errors.ts';
export { type MigrateOptions, migrateTelemetry } from './migrate.ts';
export { migrations, type TelemetryMigration } from './migrations/index.ts';
