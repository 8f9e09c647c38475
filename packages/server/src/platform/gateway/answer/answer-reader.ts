import { Worker } from 'node:worker_threads';
import { decodeRow, type ResultValue } from '@fanion/oql';
import { mapInSlices } from '../../breath.ts';
import { costOf, type QueryCost, ResultTooLarge, readCompact } from '../../clickhouse/index.ts';
import { fail } from '../../fail.ts';
import { workerEntry } from '../../worker-entry.ts';
import type { FromEncoder, ToEncoder } from './encode-worker.ts';
import { EncodedRows, type EncodeJob, type EncodeOutcome } from './encoded-rows.ts';

/** Answers up to this size are read on the main thread, in about a millisecond. */
const hereBytes = 64 * 1024;
/** The thread ends after this time without an answer, which frees its memory. */
const idleMs = 30_000;

/** An answer of the store, with its rows as values, or as JSON text if it is large. */
export interface ReadAnswer {
  readonly rows: ResultValue[][] | EncodedRows;
  /** Whether there are more rows than requested. */
  readonly truncated: boolean;
  readonly cost: QueryCost;
  /** Size as JSON text. */
  readonly bytes: number;
}

interface Running {
  readonly chunks: Uint8Array[];
  resolve(outcome: EncodeOutcome): void;
  reject(error: unknown): void;
}

export class AnswerReader {
  readonly #running = new Map<number, Running>();
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 0;
  #inThread = 0;

  /**
   * Reads an answer in the format `JSONCompact`. A large one is decoded and encoded in a thread, so that the garbage of
   * its rows is collected there and evaluations do not wait for it. Throws `ResultTooLarge`.
   */
  readonly read = async (stream: AsyncIterable<Buffer>, job: EncodeJob, signal: AbortSignal): Promise<ReadAnswer> => {
    const chunks = stream[Symbol.asyncIterator]();
    const head: Buffer[] = [];
    try {
      for (let bytes = 0; bytes <= hereBytes; ) {
        const next = await chunks.next();
        if (next.done) return await readValues(each(head), job);
        head.push(next.value);
        bytes += next.value.length;
      }
      return await this.#readThere(each(head, chunks), job, signal);
    } finally {
      await chunks.return?.();
    }
  };

  /** The same with values for rows, however large the answer is. */
  readonly readValues = readValues;

  /** Answers that were read in the thread. */
  readInThread(): number {
    return this.#inThread;
  }

  async stop(): Promise<void> {
    for (const one of this.#running.values()) one.reject(fail('SHUTTING_DOWN'));
    await this.#end();
  }

  #start(): Worker {
    const worker = new Worker(workerEntry('./encode-worker', import.meta.url));
    worker.unref();
    worker.on('message', (message: FromEncoder) => {
      const one = this.#running.get(message.id);
      if (one === undefined) return;
      if ('chunk' in message) one.chunks.push(message.chunk);
      else if ('outcome' in message) one.resolve(message.outcome);
      else if ('tooLarge' in message)
        one.reject(new ResultTooLarge(message.tooLarge.what, message.tooLarge.limitBytes));
      else one.reject(new Error(message.failure));
    });
    worker.on('error', (error) => {
      if (this.#thread !== worker) return;
      this.#thread = undefined;
      for (const one of this.#running.values()) one.reject(error);
    });
    return worker;
  }

  async #readThere(stream: AsyncIterable<Buffer>, job: EncodeJob, signal: AbortSignal): Promise<ReadAnswer> {
    this.#inThread++;
    clearTimeout(this.#idle);
    this.#thread ??= this.#start();
    const worker = this.#thread;
    const id = this.#nextId++;
    const chunks: Uint8Array[] = [];
    const send = (message: ToEncoder, transfer: ArrayBuffer[] = []) => worker.postMessage(message, transfer);
    const left = () => this.#running.get(id)?.reject(signal.reason);
    let isOver = false;
    const outcome = new Promise<EncodeOutcome>((resolve, reject) => this.#running.set(id, { chunks, resolve, reject }));
    outcome.catch(() => {
      isOver = true;
    });
    signal.addEventListener('abort', left, { once: true });
    try {
      send({ id, do: 'begin', job });
      let bytes = 0;
      for await (const chunk of stream) {
        bytes += chunk.length;
        // The thread checks it too, but what waits for it must not grow further.
        if (bytes > job.limits.maxResultBytes) throw new ResultTooLarge('result', job.limits.maxResultBytes);
        if (isOver) break;
        // A socket's buffers share their memory with others and cannot be transferred.
        const own = new Uint8Array(chunk);
        send({ id, do: 'bytes', bytes: own }, [own.buffer]);
      }
      send({ id, do: 'end' });
      const { length, truncated, statistics } = await outcome;
      const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      return { rows: new EncodedRows(length, chunks), truncated, cost: costOf(statistics), bytes: size };
    } catch (error) {
      send({ id, do: 'leave' });
      throw error;
    } finally {
      signal.removeEventListener('abort', left);
      this.#running.delete(id);
      if (this.#running.size === 0) this.#idle = setTimeout(() => void this.#end(), idleMs).unref();
    }
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const last = this.#thread;
    this.#thread = undefined;
    await last?.terminate();
  }
}

async function readValues(stream: AsyncIterable<Buffer>, { columns, limit, limits }: EncodeJob): Promise<ReadAnswer> {
  const { rows, statistics, bytes } = await readCompact(stream, limits);
  return {
    rows: await mapInSlices(rows.slice(0, limit), (row) => decodeRow(columns, row)),
    truncated: rows.length > limit,
    cost: costOf(statistics),
    bytes,
  };
}

/** Some chunks, and the rest of those that they came from. */
async function* each(head: readonly Buffer[], rest?: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield* head;
  for (let next = await rest?.next(); next !== undefined && !next.done; next = await rest?.next()) yield next.value;
}
