/**
 * The telemetry store: `migrations` has the schema for one server. With `CLICKHOUSE_CLUSTER`, `cluster.ts` turns each
 * statement into those of the cluster. Tables are partitioned by day and retention class, and expire by whole parts.
 */

export {
  type ClickHouse,
  type ClickHouseTarget,
  costOf,
  defaultLimits,
  type QueryCost,
  type QueryLimits,
} from './client.ts';
export { type Cluster, clusterSettings, onCluster } from './cluster.ts';
export { type ColdStorage, moveOldTelemetry } from './cold.ts';
export { type ReadLimits, ResultTooLarge, readCompact, readCompactBatches } from './compact.ts';
export { isBadRows, isClusterFault, regexFaultOf, storeErrorCode, valueFaultOf } from './errors.ts';
export { migrateTelemetry } from './migrate.ts';
export { migrations, type TelemetryMigration } from './migrations/index.ts';
export { markTelemetry, readTelemetryMark, unmarkTelemetry } from './move-mark.ts';
export { type Columns, type ColumnType, nativeBlocks } from './native-blocks.ts';
export { createClickHouse } from './several-hosts.ts';
export { findShards, type Shard, withoutShards } from './shards.ts';
