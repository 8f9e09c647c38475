export {
  absolutePlace,
  type BackupSource,
  backUp,
  bytesText,
  leaveRestored,
  type Manifest,
  openSource,
  placeOf,
  restore,
  restoredOf,
  summaryOf,
  verifyBackup,
} from './backup/index.ts';
export {
  type Config,
  ConfigError,
  readConfig,
  readS3Settings,
  readSettings,
  readStoreSettings,
  type Settings,
  unknownVariables,
} from './config.ts';
export { serve } from './main.ts';
export { type MoveDone, type MoveRequest, moveStores } from './move/index.ts';
export { type ClickHouseState, leastClickHouse, probeClickHouse } from './platform/clickhouse/probe.ts';
export { leastPostgres, type PostgresState, probePostgres } from './platform/postgres/probe.ts';
export { rotateKey } from './rotate-key.ts';
export { runStores } from './stores.ts';
export { version } from './version.ts';
