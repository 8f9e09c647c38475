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

export interface WorkerClient {
  /** Calls a function of `recent-points/kept-metrics.ts` in the thread. Rejects if the thread ends. */
  readonly recent: CallRecent;
  load(segment: Segment): void;
  /** Like {@link prepare}, in the worker thread, with the series limit if one is given. Transfers the body to the thread. */
  prepare(source: Source, limits: PrepareLimits, series?: SeriesLimit): Promise<Prepared>;
  /** Segments that are not stored yet. */
  pending(): number;
  /** Resolves when all segments handed in so far are stored (or quarantined). */
  drained(): Promise<void>;
  /** Abandons the work in progress, which is replayed at the next start. */
  stop(): Promise<void>;
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
export function startWorker(options: WorkerClientOptions): WorkerClient {
  const { clickhouse, quarantineDir, log } = options;
  const loading = new Map<string, Loading>();
  const preparing = new Map<number, { resolve(prepared: Prepared): void; reject(error: Error): void }>();
  const calling = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let waiters: { ids: Set<string>; resolve(): void }[] = [];
  let nextId = 0;
  let stopped = false;
  let restart: NodeJS.Timeout | undefined;
  let worker: Worker | undefined = start();

  function start(): Worker {
    const data: WorkerOptions = { clickhouse, quarantineDir };
    const thread = new Worker(workerEntry('./worker', import.meta.url), { workerData: data });
    thread.on('message', receive);
    thread.on('error', (error) => log.error({ err: error }, 'ingest worker failed'));
    thread.on('exit', () => {
      if (worker === thread) ended();
    });
    return thread;
  }

  function ended(): void {
    worker = undefined;
    for (const { reject } of preparing.values()) reject(new Error('the ingest worker ended'));
    preparing.clear();
    for (const { reject } of calling.values()) reject(new Error('the ingest worker ended'));
    calling.clear();
    options.onEnded();
    if (stopped) return;
    for (const entry of [...loading.values()]) {
      if (entry.begun && ++entry.crashes === POISONOUS_CRASHES) {
        options.onPoisonous(entry.segment);
        forget(entry.segment.id);
      }
      entry.begun = false;
    }
    restart = setTimeout(() => {
      worker = start();
      for (const { segment } of loading.values()) send({ type: 'load', segment });
    }, RESTART_PAUSE_MS);
  }

  function send(message: ToWorker, transfer: readonly Transferable[] = []): void {
    worker?.postMessage(message, transfer);
  }

  function forget(id: string): void {
    loading.delete(id);
    for (const { ids } of waiters) ids.delete(id);
    const done = waiters.filter(({ ids }) => ids.size === 0);
    waiters = waiters.filter(({ ids }) => ids.size > 0);
    for (const { resolve } of done) resolve();
  }

  function receive(message: FromWorker): void {
    switch (message.type) {
      case 'loading': {
        const entry = loading.get(message.segmentId);
        if (entry !== undefined) entry.begun = true;
        return;
      }
      case 'loaded': {
        const entry = loading.get(message.segmentId);
        if (entry === undefined) return;
        options.onLoaded(entry.segment, message.result);
        forget(message.segmentId);
        return;
      }
      case 'store':
        options.onStore(message.error);
        return;
      case 'insert-repeated':
        options.onRepeat();
        return;
      case 'recent':
        if (message.error === undefined) calling.get(message.id)?.resolve(message.result);
        else calling.get(message.id)?.reject(new Error(message.error));
        calling.delete(message.id);
        return;
      default:
        settle(message);
    }
  }

  function settle(message: Extract<FromWorker, { type: 'prepared' | 'broken' | 'refused' }>): void {
    const waiting = preparing.get(message.id);
    preparing.delete(message.id);
    if (waiting === undefined) return;
    if (message.type === 'prepared') {
      const { body, encoding, items, refused, reasons, isUntimed, earliest, lateness, written } = message;
      const outcome = { items, refused, isUntimed, earliest, lateness, reasons: new Map(reasons) };
      waiting.resolve({ body: Buffer.from(body.buffer), encoding, outcome, written });
    } else if (message.type === 'broken') waiting.reject(new Error(message.message));
    else waiting.reject(message.kind === 'too-large' ? new TooLarge(message.message) : new WireError(message.message));
  }

  return {
    recent(call, args, transfer) {
      if (worker === undefined) return Promise.reject(new Error('the ingest worker is being started'));
      const id = nextId++;
      return new Promise((resolve, reject) => {
        calling.set(id, { resolve: (result) => resolve(result as ReturnType<RecentCalls[typeof call]>), reject });
        send({ type: 'recent', id, call, args }, transfer);
      });
    },
    load(segment) {
      loading.set(segment.id, { segment, begun: false, crashes: 0 });
      send({ type: 'load', segment });
    },
    prepare({ body, ...source }, limits, series) {
      if (worker === undefined) return Promise.reject(new Error('the ingest worker is being started'));
      const id = nextId++;
      // Buffers from Node's pool share their memory with others and cannot be transferred.
      const own = new Uint8Array(body);
      return new Promise((resolve, reject) => {
        preparing.set(id, { resolve, reject });
        send({ type: 'prepare', id, source, body: own, limits, ...(series && { series }) }, [own.buffer]);
      });
    },
    pending: () => loading.size,
    drained() {
      if (loading.size === 0) return Promise.resolve();
      return new Promise((resolve) => waiters.push({ ids: new Set(loading.keys()), resolve }));
    },
    async stop() {
      stopped = true;
      clearTimeout(restart);
      const thread = worker;
      if (thread === undefined) return;
      const exited = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
      send({ type: 'stop' });
      const force = setTimeout(() => thread.terminate(), 2000);
      await exited;
      clearTimeout(force);
    },
  };
}
