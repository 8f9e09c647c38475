export {
  createJobRunner,
  type JobKind,
  type JobRun,
  type JobRunner,
  type JobRunnerOptions,
  LeaseLost,
} from './runner.ts';
export { enqueueJob, type NewJob } from './store.ts';
