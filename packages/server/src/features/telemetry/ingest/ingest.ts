import { join } from 'node:path';
import {
  divisionFor,
  isLong,
  type Lateness,
  type Prepared,
  prepare,
  type Signal,
  type WalEntry,
} from '@fanion/telemetry';
import { type ClickHouseTarget, createClickHouse } from '../../../platform/clickhouse/index.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Registry } from '../../../platform/own-metrics.ts';
import { RateLimiter } from '../../../platform/rate-limiter.ts';
import type { CallRecent } from '../../../platform/recent-points/index.ts';
import { type Segment, Wal } from '../../../platform/wal/index.ts';
import { BodyBudget } from './limits/body-budget.ts';
import { defaultLimits, type IngestLimits } from './limits/ingest-limits.ts';
import { countedReason, countRefusals } from './limits/refusals.ts';
import { Repeats } from './limits/repeats.ts';
import { SeriesBudget } from './limits/series-budget.ts';
import { declareIngestMetrics, type IngestDurations } from './own-metrics.ts';
import type { Authenticate, IngestPrincipal } from './principal.ts';
import type { IngestAnswer, IngestRequest, Receiver } from './receiver.ts';
import { Refused } from './refusal.ts';
import { emptyStats, type IngestStats } from './stats.ts';
import { type IngestLog, WorkerClient } from './worker/client.ts';
import { lossesOfSegment } from './worker/losses.ts';
import type { LoadResult } from './worker/protocol.ts';

export interface IngestOptions {
  dataDir: string;
  clickhouse: ClickHouseTarget;
  /** Memory of the engine that stores what is ingested; absent if it is not embedded. */
  engineBytes?: number;
  walMaxBytes: number;
  fsync: boolean;
  log: IngestLog;
  clock: Clock;
  limits?: Partial<IngestLimits>;
  /** Gets the metrics of ingest. */
  metrics?: Registry;
  /** Called for each accepted request with how late its items were received. */
  onReceived?(
    source: { project: number; signal: Signal; tokenId: string },
    lateness: Lateness,
    receivedAt: number,
  ): void;
  /** Called when the worker has ended; another one keeps no recent points yet. */
  onWorkerEnded?(): void;
}

const DAY_MS = 86_400_000;
const FIVE_SECONDS_MS = 5_000;

/** Accepts telemetry into the write-ahead log, and stores what is in it. */
export class Ingest {
  readonly #options: IngestOptions;
  readonly #limits: IngestLimits;
  readonly #stats = emptyStats();
  readonly #rates: RateLimiter;
  readonly #bodies: BodyBudget;
  readonly #repeats: Repeats;
  readonly #series: SeriesBudget;
  readonly #store: ReturnType<typeof createClickHouse>;
  readonly #refusals: ReturnType<typeof countRefusals>;
  readonly #durations: IngestDurations;
  readonly #worker: WorkerClient;
  #opened: Wal | undefined;
  #storeError: string | undefined;
  /** Closed segments that wait for `resume`. */
  #paused: Segment[] | undefined;

  /** First stores what an earlier process left in the log. */
  static async open(options: IngestOptions): Promise<Ingest> {
    const ingest = new Ingest(options);
    await ingest.#openLog();
    return ingest;
  }

  private constructor(options: IngestOptions) {
    const { clickhouse, log, clock, dataDir, metrics = new Registry() } = options;
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#rates = new RateLimiter(this.#limits.rate, clock);
    this.#bodies = new BodyBudget(this.#limits.bodies);
    this.#repeats = new Repeats(this.#limits.repeats, clock);
    this.#series = new SeriesBudget(this.#limits.seriesPerDay);
    this.#store = createClickHouse(clickhouse);
    this.#refusals = countRefusals(this.#store, log);
    this.#durations = declareIngestMetrics(metrics, {
      stats: () => this.stats(),
      pending: () => this.pending(),
      unstoredSince: () => this.unstoredSince(),
      refused: () => this.#refusals.totals(),
      now: () => clock.now(),
    });
    this.#worker = new WorkerClient({
      clickhouse,
      quarantineDir: join(dataDir, 'wal', 'quarantine'),
      log,
      onLoaded: (segment, result) => this.#loaded(segment, result),
      onPoisonous: (segment) => {
        this.#stats.quarantined++;
        log.error({ segment: segment.id }, 'a segment crashed the ingest worker repeatedly and was quarantined');
        this.#setAside(segment).catch((error: unknown) => log.error({ err: error }, 'quarantine failed'));
      },
      onEnded: () => options.onWorkerEnded?.(),
      onRepeat: () => {
        this.#stats.insertsRepeated++;
      },
      onStore: (error) => {
        this.#storeError = error;
        if (error === undefined) log.info({}, 'the telemetry store accepts inserts again');
        else log.warn({ reason: error.slice(0, 500) }, 'the telemetry store rejects inserts; they wait in the log');
      },
    });
  }

  /** Tells of number points and series before they are stored. */
  get recent(): CallRecent {
    return this.#worker.recent;
  }

  /** The log, to copy it with the store. */
  get log(): Pick<Wal, 'freeze' | 'removeFrozen'> {
    return this.#wal;
  }

  /**
   * Called before the body of a request is read.
   * @throws {Refused} 429 while the project has sent more than it may.
   */
  admit({ project }: IngestPrincipal): void {
    const seconds = this.#rates.secondsToWait(project);
    if (seconds === 0) return;
    const message = 'the project exceeds its ingest rate limit';
    throw new Refused('limited', message, { retryAfter: seconds });
  }

  /**
   * Accepts one request and resolves when its items are durable. One that was acknowledged within 15 minutes is answered again, and not
   * stored again.
   * @throws {WireError | JsonError} broken structure, 400.
   * @throws {TooLarge} 413.
   * @throws {Refused} as {@link Ingest.admit} does.
   * @throws {WalFull} 503.
   */
  async append(request: IngestRequest): Promise<IngestAnswer> {
    const { principal, signal, body } = request;
    this.admit(principal);
    const { answer, isRepeat } = await this.#repeats.once(request, () => this.#accept(request));
    if (!isRepeat) return answer;
    const now = this.#options.clock.now();
    this.#rates.take(principal.project, 0, body.length);
    this.#stats.signals[signal].repeated++;
    this.#refusals.add({ ...principal, signal }, 'repeated', 'requests', 1, now);
    this.#refusals.add({ ...principal, signal }, 'repeated', 'items', answer.accepted, now);
    return answer;
  }

  /**
   * Writes this server's evaluation counts to the log and resolves when they are durable.
   * @throws {WalFull}
   */
  record(
    entry: Pick<WalEntry, 'workspace' | 'project' | 'environment' | 'retentionDays' | 'receivedAt' | 'items' | 'body'>,
  ): Promise<void> {
    const encoded = { signal: 'evaluations', encoding: 'evaluations-json', refused: new Uint32Array() } as const;
    return this.#wal.append({ ...entry, ...encoded });
  }

  /**
   * Keeps segments in the log from now on, and resolves when those that were closed before are stored as a whole, so that no segment is
   * stored in part. Waits while the store is down.
   */
  async pause(): Promise<void> {
    this.#paused ??= [];
    await this.#worker.drained();
    await this.#refusals.flush();
  }

  /** Stores what waits since `pause`. */
  resume(): void {
    const waiting = this.#paused ?? [];
    this.#paused = undefined;
    for (const segment of waiting) this.#worker.load(segment);
  }

  stats(): IngestStats {
    return { ...this.#stats, storeError: this.#storeError, wal: this.#wal.stats(), bodyBytes: this.#bodies.used };
  }

  /** When the oldest acknowledged data was received that cannot be queried yet, in milliseconds since the epoch; undefined: none. */
  unstoredSince(): number | undefined {
    return this.#wal.since();
  }

  /** What a tenant was acknowledged that cannot be queried yet. */
  held(...of: Parameters<Wal['held']>): ReturnType<Wal['held']> {
    return this.#wal.held(...of);
  }

  /** Segments that are not stored yet, without the open ones. */
  pending(): number {
    return this.#worker.pending() + (this.#paused?.length ?? 0);
  }

  /** Resolves when everything acknowledged so far can be queried. Waits while the store is down. */
  async flush(): Promise<void> {
    await this.#wal.closeOpen();
    await this.#worker.drained();
    await this.#refusals.flush();
  }

  /** Receives the requests of the ingest protocols. */
  receiver(authenticate: Authenticate): Receiver {
    return {
      append: (request) => this.append(request),
      admit: (principal) => this.admit(principal),
      authenticate,
      limits: this.#limits,
      bodies: this.#bodies,
      refused: (principal, signal, { reason, message }) => {
        if (reason === 'unauthenticated' || reason === 'forbidden') return;
        const why = reason === 'malformed' ? countedReason(message) : message;
        this.#refusals.add({ ...principal, signal }, 'refused', why, 1, this.#options.clock.now());
      },
    };
  }

  /** Rejects new data, gives the store time to take the remaining data, and stops the worker. */
  async stop(): Promise<void> {
    const { drainMs } = this.#limits;
    await this.#wal.stop();
    if (this.#storeError === undefined) await within(this.#worker.drained(), drainMs);
    if (this.#storeError === undefined) await within(this.#refusals.stop(), drainMs);
    else this.#refusals.abandon();
    await this.#worker.stop();
    await this.#store.close();
  }

  get #wal(): Wal {
    if (this.#opened === undefined) throw new Error('the log is not open yet');
    return this.#opened;
  }

  async #openLog(): Promise<void> {
    const { dataDir, walMaxBytes, fsync, engineBytes, log } = this.#options;
    const { minFreeBytes, segmentBytes, segmentItems, segmentAgeMs, segmentQuiet } = this.#limits;
    this.#opened = await Wal.open({
      ...{ dir: join(dataDir, 'wal'), maxBytes: walMaxBytes, fsync, division: divisionFor(engineBytes) },
      ...{ minFreeBytes, segmentBytes, segmentItems, segmentAgeMs, segmentQuiet },
      onClosed: (segment) => (this.#paused === undefined ? this.#worker.load(segment) : this.#paused.push(segment)),
      onSync: this.#durations.synced,
    });
    const segments = this.#worker.pending();
    if (segments > 0) log.info({ segments }, 'storing data that the last run left in the log');
  }

  #loaded(segment: Segment, result: LoadResult): void {
    const { clock, log } = this.#options;
    const stats = this.#stats;
    const age = clock.now() - segment.since;
    for (const [table, rows] of Object.entries(result.rows)) {
      stats.queryableRows[age <= FIVE_SECONDS_MS ? 'withinFiveSeconds' : 'later'] += rows;
      stats.storedRows[table] = (stats.storedRows[table] ?? 0) + rows;
    }
    this.#durations.inserted(result.insertSeconds);
    stats.quarantined += result.quarantined;
    stats.quarantinedItems += result.quarantinedItems;
    if (result.quarantined > 0)
      log.error({ segment: segment.id, items: result.quarantinedItems }, 'telemetry was quarantined');
    for (const [project, count] of result.begunSeries) this.#series.add(project, count, clock.now());
    for (const [project, count] of result.points) this.#series.transcoded(project, count);
    for (const loss of result.losses) this.#refusals.add(loss, 'quarantined', loss.reason, loss.items, clock.now());
    this.#wal.drop(segment.id).catch((error: unknown) => {
      log.error({ err: error, segment: segment.id }, 'a stored segment could not be removed');
    });
  }

  async #setAside(segment: Segment): Promise<void> {
    const losses = await lossesOfSegment(segment.path, 'it crashed the ingest worker repeatedly');
    await this.#wal.setAside(segment.id);
    for (const loss of losses) {
      this.#stats.quarantinedItems += loss.items;
      this.#refusals.add(loss, 'quarantined', loss.reason, loss.items, this.#options.clock.now());
    }
  }

  /** Judges a request and writes it to the log. `isOnce`: an equal one is the same one again. */
  async #accept(request: IngestRequest): Promise<{ answer: IngestAnswer; isOnce: boolean }> {
    const { principal, signal, body } = request;
    const { workspace, project, environment = '', tokenId } = principal;
    const receivedAt = this.#options.clock.now();
    const retentionDays = principal.retentionDays[signal];
    const prepared = await this.#prepare(request, receivedAt);
    const { items, refused, reasons, earliest, lateness, isUntimed } = prepared.outcome;
    const accepted = items - refused.length;
    if (accepted > 0) {
      const place = { workspace, project, environment, retentionDays, receivedAt };
      const { encoding, body } = prepared;
      const entry = { signal, encoding, ...place, items, refused: Uint32Array.from(refused), body };
      await this.#wal.append(entry, earliest);
      this.#options.onReceived?.({ project, signal, tokenId }, lateness, receivedAt);
    }
    this.#rates.take(project, items, body.length);
    if (signal === 'metrics') this.#series.accepted(project, accepted, receivedAt);
    this.#refusals.addRejected({ ...principal, signal }, reasons, receivedAt);
    const counted = this.#stats.signals[signal];
    counted.requests++;
    counted.accepted += accepted;
    counted.rejected += refused.length;
    counted.bytes += body.length;
    const answer = { accepted, rejected: refused.length, message: refusalMessage(prepared), written: prepared.written };
    return { answer, isOnce: accepted > 0 && !isUntimed };
  }

  /** In the worker thread if it takes long, or if the series of the project are counted exactly. */
  async #prepare({ principal, ...source }: IngestRequest, receivedAt: number): Promise<Prepared> {
    const { workspace, project, environment = '' } = principal;
    const { inflatedBytes, items, seriesPerDay } = this.#limits;
    const retentionDays = principal.retentionDays[source.signal];
    const limits = {
      now: receivedAt,
      inflatedBytes,
      maxItems: items,
      earliest: receivedAt - retentionDays * DAY_MS,
      latest: receivedAt + DAY_MS,
    };
    if (source.signal === 'metrics' && this.#series.isNear(project, receivedAt)) {
      const place = { workspace, project, environment, retentionDays, receivedAt };
      return this.#worker.prepare(source, limits, { ...place, perDay: seriesPerDay });
    }
    return isLong(source) ? this.#worker.prepare(source, limits) : prepare(source, limits);
  }
}

function refusalMessage({ outcome }: Prepared): string {
  return [...outcome.reasons].map(([reason, count]) => `${count} × ${reason}`).join('; ');
}

async function within(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
