import type { Transferable } from 'node:worker_threads';
import { Worker } from 'node:worker_threads';
import { fail } from '../../fail.ts';
import { LaneQueue } from '../run/lanes.ts';

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
export class JobThread<Job, Result> {
  readonly #options: JobThreadOptions;
  readonly #lane: LaneQueue;
  #thread: Thread | undefined;
  #running: Running | undefined;
  #nextId = 0;
  readonly #counted = { inThread: 0, stopped: 0 };

  constructor(options: JobThreadOptions) {
    this.#options = options;
    const { waiting } = options;
    this.#lane = new LaneQueue({ running: 1, perWorkspace: 1, waiting, waitMs: 10_000, retryAfterSeconds: 2 });
  }

  async run(
    job: Job,
    asked: { readonly workspace: number; readonly signal: AbortSignal },
    transfer: readonly Transferable[] = [],
  ): Promise<Result> {
    const leave = await this.#lane.enter(asked.workspace, asked.signal);
    this.#counted.inThread++;
    this.#thread ??= this.#start();
    const { worker, ready } = this.#thread;
    try {
      await ready;
      return await new Promise((resolve, reject) => {
        const id = this.#nextId++;
        const budget = setTimeout(() => {
          this.#counted.stopped++;
          this.#thread = undefined;
          void worker.terminate();
          this.#running?.settle({ error: fail('QUERY_TOO_EXPENSIVE', { reason: this.#options.tooLong }) });
        }, this.#options.budgetMs);
        this.#running = {
          id,
          settle: ({ result, error }) => {
            clearTimeout(budget);
            this.#running = undefined;
            if (error === undefined) resolve(result as Result);
            else reject(error);
          },
        };
        worker.postMessage({ id, job }, transfer);
      });
    } finally {
      leave();
    }
  }

  stats() {
    return { ...this.#counted, waiting: this.#lane.state().waiting };
  }

  async stop() {
    const last = this.#thread;
    this.#thread = undefined;
    this.#running?.settle({ error: fail('SHUTTING_DOWN') });
    await last?.worker.terminate();
  }

  #start(): Thread {
    const worker = new Worker(this.#options.entry);
    worker.unref();
    const ready = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
      worker.once('exit', () => reject(fail('SHUTTING_DOWN')));
    });
    const started: Thread = { worker, ready };
    worker.on('message', (message: 'ready' | { id: number; result?: unknown; error?: string }) => {
      if (message === 'ready' || this.#running?.id !== message.id) return;
      const { result, error } = message;
      this.#running.settle(error === undefined ? { result } : { error: new Error(error) });
    });
    worker.on('error', (error) => {
      if (this.#thread === started) this.#thread = undefined;
      this.#running?.settle({ error });
    });
    return started;
  }
}
