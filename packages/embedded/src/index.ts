export { packStoppedDatabase, restoreControlSnapshot, unpackDatabase } from './control/restore.ts';
export { compressFile } from './control/snapshots.ts';
export {
  type ControlConnection,
  type ControlStore,
  type ControlStoreOptions,
  startControlStore,
} from './control/start.ts';
export { lockDataDirectory, ownerOfDataDirectory } from './directory-lock.ts';
export type { EmbeddedStore, StoreLog, StoreStatus, Watchdog } from './store.ts';
export { lockStoppedStore } from './store-directory.ts';
export { lowerPriority } from './supervisor/lower-priority.ts';
export type { FrozenTelemetry } from './telemetry/freeze.ts';
export { startTelemetryStore, type TelemetryStore, type TelemetryStoreOptions } from './telemetry/start.ts';
export { stoppedTables } from './telemetry/stopped.ts';
