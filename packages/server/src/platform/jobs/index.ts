export { createJobRunner, type JobKind, type JobRun, type JobRunner, LeaseLost } from './runner.ts';
export { enqueueJob } from './store.ts';
