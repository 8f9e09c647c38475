export { environmentRemoved, type RemovedPlace, removeEverythingIn, requireConfirmation } from './removal.ts';
export { type DeleteTelemetry, type TelemetryPlace, telemetryRemovalJob } from './telemetry-job.ts';
export { deleteTelemetryFrom } from './telemetry-store.ts';
