import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '../../thread-priority.ts';
import { type CompileJob, runCompileJob } from './compile-job.ts';

lowerThreadPriority(10);

/** The thread that compiles long texts, so that none of them blocks the server. */
parentPort?.on('message', ({ id, job }: { id: number; job: CompileJob }) => {
  try {
    parentPort?.postMessage({ id, result: runCompileJob(job) });
  } catch (error) {
    parentPort?.postMessage({ id, error: String(error) });
  }
});

// The code is loaded; from now on the time of a compilation counts.
parentPort?.postMessage('ready');
