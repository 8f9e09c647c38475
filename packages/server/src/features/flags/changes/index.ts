export type { AnyChangeKind } from './apply.ts';
export { changesFeature } from './handlers.ts';
export { changeJob } from './job.ts';
export { createChanges, maxWaiting } from './submit.ts';
