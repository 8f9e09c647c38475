import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '../../../platform/thread-priority.ts';
import type { WhyInput } from './input.ts';
import { explainWhy } from './rules.ts';

lowerThreadPriority(5);

/** The thread that ranks causes, which takes up to seconds. */
parentPort?.on('message', ({ id, job }: { id: number; job: WhyInput }) => {
  try {
    parentPort?.postMessage({ id, result: explainWhy(job) });
  } catch (error) {
    parentPort?.postMessage({ id, error: String(error) });
  }
});

parentPort?.postMessage('ready');
