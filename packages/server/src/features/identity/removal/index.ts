export { environmentRemoved, removeEverythingIn, requireConfirmation } from './removal.ts';
export { type TelemetryPlace, telemetryRemovalJob } from './telemetry-job.ts';
export { deleteTelemetryFrom } from './telemetry-store.ts';
