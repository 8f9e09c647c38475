import type { Transferable } from 'node:worker_threads';
import { Worker } from 'node:worker_threads';
import { fail } from '../../fail.ts';
import { createLane } from '../run/lanes.ts';

interface Thread {
  readonly worker: Worker;
  /** Resolves when the code is loaded, which does not count as work. */
  readonly ready: Promise<void>;
}

interface Running {
  readonly id: number;
  readonly settle: (outcome: { result?: unknown; error?: unknown }) => void;
}

export interface JobThreadOptions {
  /** Posts `ready`, and then `{ id, result }` or `{ id, error }` for each `{ id, job }`. */
  readonly entry: URL;
  /** Limit of one job, in milliseconds. */
  readonly budgetMs: number;
  /** Jobs of one workspace that may wait. */
  readonly waiting: number;
  /** The reason of `QUERY_TOO_EXPENSIVE` for a job that exceeds its limit. */
  readonly tooLong: string;
}

/** One thread, shared by workspaces in turns. It starts when it is first needed, and again after it was stopped. */
export function createJobThread<Job, Result>({ entry, budgetMs, waiting, tooLong }: JobThreadOptions) {
  const lane = createLane({ running: 1, perWorkspace: 1, waiting, waitMs: 10_000, retryAfterSeconds: 2 });
  let thread: Thread | undefined;
  let running: Running | undefined;
  let nextId = 0;
  const counted = { inThread: 0, stopped: 0 };

  function start(): Thread {
    const worker = new Worker(entry);
    worker.unref();
    const ready = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
      worker.once('exit', () => reject(fail('SHUTTING_DOWN')));
    });
    const started: Thread = { worker, ready };
    worker.on('message', (message: 'ready' | { id: number; result?: unknown; error?: string }) => {
      if (message === 'ready' || running?.id !== message.id) return;
      const { result, error } = message;
      running.settle(error === undefined ? { result } : { error: new Error(error) });
    });
    worker.on('error', (error) => {
      if (thread === started) thread = undefined;
      running?.settle({ error });
    });
    return started;
  }

  return {
    async run(
      job: Job,
      asked: { readonly workspace: number; readonly signal: AbortSignal },
      transfer: readonly Transferable[] = [],
    ): Promise<Result> {
      const leave = await lane.enter(asked.workspace, asked.signal);
      counted.inThread++;
      thread ??= start();
      const { worker, ready } = thread;
      try {
        await ready;
        return await new Promise((resolve, reject) => {
          const id = nextId++;
          const budget = setTimeout(() => {
            counted.stopped++;
            thread = undefined;
            void worker.terminate();
            running?.settle({ error: fail('QUERY_TOO_EXPENSIVE', { reason: tooLong }) });
          }, budgetMs);
          running = {
            id,
            settle({ result, error }) {
              clearTimeout(budget);
              running = undefined;
              if (error === undefined) resolve(result as Result);
              else reject(error);
            },
          };
          worker.postMessage({ id, job }, transfer);
        });
      } finally {
        leave();
      }
    },
    stats: () => ({ ...counted, waiting: lane.state().waiting }),
    async stop() {
      const last = thread;
      thread = undefined;
      running?.settle({ error: fail('SHUTTING_DOWN') });
      await last?.worker.terminate();
    },
  };
}
