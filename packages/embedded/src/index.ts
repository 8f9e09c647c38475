export { restoreControlSnapshot } from './control/restore.ts';
export { type ControlConnection, type ControlStoreOptions, startControlStore } from './control/start.ts';
export { lockDataDirectory, ownerOfDataDirectory } from './directory-lock.ts';
export type { EmbeddedStore, StoreLog, StoreStatus, Watchdog } from './store.ts';
export { startTelemetryStore, type TelemetryStoreOptions } from './telemetry/start.ts';
