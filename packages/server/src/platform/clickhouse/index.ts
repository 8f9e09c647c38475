export {
  type ClickHouse,
  type ClickHouseTarget,
  createClickHouse,
  defaultLimits,
  type QueryCost,
  type QueryLimits,
} from './client.ts';
export { type Cluster, clusterSettings, onCluster } from './cluster.ts';
export { ResultTooLarge } from './compact.ts';
export { isBadRows, regexFaultOf, storeErrorCode, valueFaultOf } from './errors.ts';
export { migrateTelemetry } from './migrate.ts';
export { migrations } from './migrations/index.ts';
