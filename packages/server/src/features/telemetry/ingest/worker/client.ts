import { type Transferable, Worker } from 'node:worker_threads';
import type { Prepared, PrepareLimits, Source } from '@fanion/telemetry';
import { TooLarge, WireError } from '@fanion/telemetry';
import type { CallRecent, RecentCalls } from '../../../../platform/recent-points/index.ts';
import type { Segment } from '../../../../platform/wal/index.ts';
import { workerEntry } from '../../../../platform/worker-entry.ts';
import type { SeriesLimit } from '../limits/series-judge.ts';
import type { FromWorker, LoadResult, ToWorker, WorkerOptions } from './protocol.ts';

export interface IngestLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface WorkerClientOptions extends WorkerOptions {
  log: IngestLog;
  onLoaded(segment: Segment, result: LoadResult): void;
  /** Called for a segment that crashed the thread several times; the caller quarantines it. */
  onPoisonous(segment: Segment): void;
  onStore(error: string | undefined): void;
  /** Called for each insert that failed and will be repeated. */
  onRepeat(): void;
  /** Called when the thread has ended, before another one starts: it keeps no recent points. */
  onEnded(): void;
}

interface Loading {
  segment: Segment;
  /** Whether the current thread has started it. */
  begun: boolean;
  crashes: number;
}

const POISONOUS_CRASHES = 3;
const RESTART_PAUSE_MS = 250;

/** Runs the worker thread, and restarts it when it crashes. */
export class WorkerClient {
  readonly #options: WorkerClientOptions;
  readonly #loading = new Map<string, Loading>();
  readonly #preparing = new Map<number, { resolve(prepared: Prepared): void; reject(error: Error): void }>();
  readonly #calling = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #waiters: { ids: Set<string>; resolve(): void }[] = [];
  #nextId = 0;
  #stopped = false;
  #restart: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;

  constructor(options: WorkerClientOptions) {
    this.#options = options;
    this.#worker = this.#start();
  }

  /** Calls a function of `recent-points/kept-metrics.ts` in the thread. Rejects if the thread ends. */
  readonly recent: CallRecent = (call, args, transfer) => {
    if (this.#worker === undefined) return Promise.reject(new Error('the ingest worker is being started'));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#calling.set(id, { resolve: (result) => resolve(result as ReturnType<RecentCalls[typeof call]>), reject });
      this.#send({ type: 'recent', id, call, args }, transfer);
    });
  };

  load(segment: Segment): void {
    this.#loading.set(segment.id, { segment, begun: false, crashes: 0 });
    this.#send({ type: 'load', segment });
  }

  /** Like {@link prepare}, in the worker thread, with the series limit if one is given. Transfers the body to the thread. */
  prepare({ body, ...source }: Source, limits: PrepareLimits, series?: SeriesLimit): Promise<Prepared> {
    if (this.#worker === undefined) return Promise.reject(new Error('the ingest worker is being started'));
    const id = this.#nextId++;
    // Buffers from Node's pool share their memory with others and cannot be transferred.
    const own = new Uint8Array(body);
    return new Promise((resolve, reject) => {
      this.#preparing.set(id, { resolve, reject });
      this.#send({ type: 'prepare', id, source, body: own, limits, ...(series && { series }) }, [own.buffer]);
    });
  }

  /** Segments that are not stored yet. */
  pending(): number {
    return this.#loading.size;
  }

  /** Resolves when all segments handed in so far are stored (or quarantined). */
  drained(): Promise<void> {
    if (this.#loading.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ ids: new Set(this.#loading.keys()), resolve }));
  }

  /** Abandons the work in progress, which is replayed at the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#restart);
    const thread = this.#worker;
    if (thread === undefined) return;
    const exited = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
    this.#send({ type: 'stop' });
    const force = setTimeout(() => thread.terminate(), 2000);
    await exited;
    clearTimeout(force);
  }

  #start(): Worker {
    const { clickhouse, quarantineDir, log } = this.#options;
    const data: WorkerOptions = { clickhouse, quarantineDir };
    const thread = new Worker(workerEntry('./worker', import.meta.url), { workerData: data });
    thread.on('message', (message: FromWorker) => this.#receive(message));
    thread.on('error', (error) => log.error({ err: error }, 'ingest worker failed'));
    thread.on('exit', () => {
      if (this.#worker === thread) this.#ended();
    });
    return thread;
  }

  #ended(): void {
    this.#worker = undefined;
    for (const { reject } of this.#preparing.values()) reject(new Error('the ingest worker ended'));
    this.#preparing.clear();
    for (const { reject } of this.#calling.values()) reject(new Error('the ingest worker ended'));
    this.#calling.clear();
    this.#options.onEnded();
    if (this.#stopped) return;
    for (const entry of [...this.#loading.values()]) {
      if (entry.begun && ++entry.crashes === POISONOUS_CRASHES) {
        this.#options.onPoisonous(entry.segment);
        this.#forget(entry.segment.id);
      }
      entry.begun = false;
    }
    this.#restart = setTimeout(() => {
      this.#worker = this.#start();
      for (const { segment } of this.#loading.values()) this.#send({ type: 'load', segment });
    }, RESTART_PAUSE_MS);
  }

  #send(message: ToWorker, transfer: readonly Transferable[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  #forget(id: string): void {
    this.#loading.delete(id);
    for (const { ids } of this.#waiters) ids.delete(id);
    const done = this.#waiters.filter(({ ids }) => ids.size === 0);
    this.#waiters = this.#waiters.filter(({ ids }) => ids.size > 0);
    for (const { resolve } of done) resolve();
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case 'loading': {
        const entry = this.#loading.get(message.segmentId);
        if (entry !== undefined) entry.begun = true;
        return;
      }
      case 'loaded': {
        const entry = this.#loading.get(message.segmentId);
        if (entry === undefined) return;
        this.#options.onLoaded(entry.segment, message.result);
        this.#forget(message.segmentId);
        return;
      }
      case 'store':
        this.#options.onStore(message.error);
        return;
      case 'insert-repeated':
        this.#options.onRepeat();
        return;
      case 'recent':
        if (message.error === undefined) this.#calling.get(message.id)?.resolve(message.result);
        else this.#calling.get(message.id)?.reject(new Error(message.error));
        this.#calling.delete(message.id);
        return;
      default:
        this.#settle(message);
    }
  }

  #settle(message: Extract<FromWorker, { type: 'prepared' | 'broken' | 'refused' }>): void {
    const waiting = this.#preparing.get(message.id);
    this.#preparing.delete(message.id);
    if (waiting === undefined) return;
    if (message.type === 'prepared') {
      const { body, encoding, items, refused, reasons, isUntimed, earliest, lateness, written } = message;
      const outcome = { items, refused, isUntimed, earliest, lateness, reasons: new Map(reasons) };
      waiting.resolve({ body: Buffer.from(body.buffer), encoding, outcome, written });
    } else if (message.type === 'broken') waiting.reject(new Error(message.message));
    else waiting.reject(message.kind === 'too-large' ? new TooLarge(message.message) : new WireError(message.message));
  }
}
