/**
 * Background work: a due job is a row. A replica claims it with a lease and an epoch, runs it, and commits its effects
 * only while it still holds that epoch.
 */

export { type JobKind, type JobRun, LeaseLost } from './run-job.ts';
export { JobRunner } from './runner.ts';
export { enqueueJob, findLateJobs, type LateJob } from './store.ts';
