import { Worker } from 'node:worker_threads';
import { runInSlices } from '../platform/breath.ts';
import { fail } from '../platform/fail.ts';
import { workerEntry } from '../platform/worker-entry.ts';
import type { BodyToRead, FromBodyWorker, ToBodyWorker } from './body-messages.ts';
import { joinJson } from './json-parts.ts';

/** The thread ends after this time without a body, which frees its memory. */
const idleMs = 30_000;
/** Bodies that wait for the thread; each may have several megabytes. */
const maxWaiting = 16;
const retryAfterSeconds = 2;

/** Parses and checks large bodies in a thread. */
export interface BodyThread {
  /**
   * The body as its route declares it. It comes back in pieces that the main thread parses with pauses: receiving a value
   * as a whole costs as much as parsing it (18 ms for a megabyte of small objects). Throws as `parseJson` and `checkBody` do, and
   * `BODIES_LIMITED` if too many wait.
   * @param spent gets the milliseconds of the thread
   */
  read(body: BodyToRead, spent: (milliseconds: number) => void): Promise<unknown>;
  stop(): Promise<void>;
}

interface Waiting {
  resolve(answer: FromBodyWorker): void;
  reject(error: unknown): void;
}

export function createBodyThread(): BodyThread {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let nextId = 0;

  function start(): Worker {
    const worker = new Worker(workerEntry('./body-worker', import.meta.url));
    worker.unref();
    worker.on('message', (answer: FromBodyWorker) => waiting.get(answer.id)?.resolve(answer));
    worker.on('error', (error) => {
      if (thread === worker) thread = undefined;
      for (const one of waiting.values()) one.reject(error);
    });
    return worker;
  }

  async function end(): Promise<void> {
    clearTimeout(idle);
    const last = thread;
    thread = undefined;
    await last?.terminate();
  }

  return {
    async read(body, spent) {
      if (waiting.size >= maxWaiting)
        throw fail('BODIES_LIMITED', { seconds: retryAfterSeconds }, { retryAfterSeconds });
      clearTimeout(idle);
      thread ??= start();
      const worker = thread;
      const id = nextId++;
      try {
        const answered = new Promise<FromBodyWorker>((resolve, reject) => waiting.set(id, { resolve, reject }));
        // A socket's buffers share their memory with others and cannot be transferred.
        const own = new Uint8Array(body.bytes);
        const message: ToBodyWorker = { ...body, id, bytes: own };
        worker.postMessage(message, [own.buffer]);
        const answer = await answered;
        spent(answer.milliseconds);
        if ('body' in answer) return await runInSlices(joinJson(answer.body));
        const { problem } = answer;
        if ('defect' in problem) throw new Error(problem.defect);
        throw fail(problem.error, problem.parameters, problem.details && { details: problem.details });
      } finally {
        waiting.delete(id);
        if (waiting.size === 0) idle = setTimeout(() => void end(), idleMs).unref();
      }
    },
    async stop() {
      for (const one of waiting.values()) one.reject(fail('SHUTTING_DOWN'));
      await end();
    },
  };
}
