/**
 * Background work: a due job is a row. A replica claims it with a lease and an epoch, runs it, and commits its effects
 * only while it still holds that epoch.
 */

export { createJobRunner, type JobKind, type JobRun, type JobRunner, LeaseLost } from './runner.ts';
export { enqueueJob, findLateJobs, type LateJob } from './store.ts';
