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
import { declareIngestMetrics } from './own-metrics.ts';
import type { Authenticate, IngestPrincipal } from './principal.ts';
import type { IngestAnswer, IngestRequest, Receiver } from './receiver.ts';
import { Refused } from './refusal.ts';
import { emptyStats, type IngestStats } from './stats.ts';
import { type IngestLog, WorkerClient } from './worker/client.ts';
import { lossesOfSegment } from './worker/losses.ts';

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

export interface Ingest {
  /** Tells of number points and series before they are stored. */
  readonly recent: CallRecent;
  /**
   * Accepts one request and resolves when its items are durable. One that was acknowledged within 15 minutes is answered again, and not
   * stored again.
   * @throws {WireError | JsonError} broken structure, 400.
   * @throws {TooLarge} 413.
   * @throws {Refused} as {@link Ingest.admit} does.
   * @throws {WalFull} 503.
   */
  append(request: IngestRequest): Promise<IngestAnswer>;
  /**
   * Called before the body of a request is read.
   * @throws {Refused} 429 while the project has sent more than it may.
   */
  admit(principal: IngestPrincipal): void;
  /**
   * Writes this server's evaluation counts to the log and resolves when they are durable.
   * @throws {WalFull}
   */
  record(
    entry: Pick<WalEntry, 'workspace' | 'project' | 'environment' | 'retentionDays' | 'receivedAt' | 'items' | 'body'>,
  ): Promise<void>;
  stats(): IngestStats;
  /** When the oldest acknowledged data was received that cannot be queried yet, in milliseconds since the epoch; undefined: none. */
  unstoredSince(): number | undefined;
  /** What a tenant was acknowledged that cannot be queried yet. */
  held: Wal['held'];
  /** Segments that are not stored yet, without the open ones. */
  pending(): number;
  /** Resolves when everything acknowledged so far can be queried. Waits while the store is down. */
  flush(): Promise<void>;
  /**
   * Keeps segments in the log from now on, and resolves when those that were closed before are stored as a whole, so that no segment is
   * stored in part. Waits while the store is down.
   */
  pause(): Promise<void>;
  /** Stores what waits since `pause`. */
  resume(): void;
  /** The log, to copy it with the store. */
  readonly log: Pick<Wal, 'freeze' | 'removeFrozen'>;
  /** Receives the requests of the ingest protocols. */
  receiver(authenticate: Authenticate): Receiver;
  /** Rejects new data, gives the store time to take the remaining data, and stops the worker. */
  stop(): Promise<void>;
}

const DAY_MS = 86_400_000;
const FIVE_SECONDS_MS = 5_000;

/** Starts ingest. First stores what an earlier process left in the log. */
export async function createIngest(options: IngestOptions): Promise<Ingest> {
  const { clickhouse, log, clock } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const dir = join(options.dataDir, 'wal');
  const stats = emptyStats();
  const rates = new RateLimiter(limits.rate, clock);
  const bodies = new BodyBudget(limits.bodies);
  const repeats = new Repeats(limits.repeats, clock);
  const budget = new SeriesBudget(limits.seriesPerDay);
  const store = createClickHouse(clickhouse);
  const refusals = countRefusals(store, log);
  let storeError: string | undefined;
  let wal: Wal | undefined;
  /** Closed segments that wait for `resume`. */
  let paused: Segment[] | undefined;

  const durations = declareIngestMetrics(options.metrics ?? new Registry(), {
    stats: () => ingest.stats(),
    pending: () => ingest.pending(),
    unstoredSince: () => ingest.unstoredSince(),
    refused: () => refusals.totals(),
    now: () => clock.now(),
  });

  const worker = new WorkerClient({
    clickhouse,
    quarantineDir: join(dir, 'quarantine'),
    log,
    onLoaded(segment, result) {
      const age = clock.now() - segment.since;
      for (const [table, rows] of Object.entries(result.rows)) {
        stats.queryableRows[age <= FIVE_SECONDS_MS ? 'withinFiveSeconds' : 'later'] += rows;
        stats.storedRows[table] = (stats.storedRows[table] ?? 0) + rows;
      }
      durations.inserted(result.insertSeconds);
      stats.quarantined += result.quarantined;
      stats.quarantinedItems += result.quarantinedItems;
      if (result.quarantined > 0) {
        log.error({ segment: segment.id, items: result.quarantinedItems }, 'telemetry was quarantined');
      }
      for (const [project, count] of result.begunSeries) budget.add(project, count, clock.now());
      for (const [project, count] of result.points) budget.transcoded(project, count);
      for (const loss of result.losses) refusals.add(loss, 'quarantined', loss.reason, loss.items, clock.now());
      wal?.drop(segment.id).catch((error: unknown) => {
        log.error({ err: error, segment: segment.id }, 'a stored segment could not be removed');
      });
    },
    onPoisonous(segment) {
      stats.quarantined++;
      log.error({ segment: segment.id }, 'a segment crashed the ingest worker repeatedly and was quarantined');
      setAside(segment).catch((error: unknown) => log.error({ err: error }, 'quarantine failed'));
    },
    onEnded: () => options.onWorkerEnded?.(),
    onRepeat() {
      stats.insertsRepeated++;
    },
    onStore(error) {
      storeError = error;
      if (error === undefined) log.info({}, 'the telemetry store accepts inserts again');
      else log.warn({ reason: error.slice(0, 500) }, 'the telemetry store rejects inserts; they wait in the log');
    },
  });

  async function setAside(segment: Segment): Promise<void> {
    const losses = await lossesOfSegment(segment.path, 'it crashed the ingest worker repeatedly');
    await wal?.setAside(segment.id);
    for (const loss of losses) {
      stats.quarantinedItems += loss.items;
      refusals.add(loss, 'quarantined', loss.reason, loss.items, clock.now());
    }
  }

  wal = await Wal.open({
    dir,
    maxBytes: options.walMaxBytes,
    minFreeBytes: limits.minFreeBytes,
    fsync: options.fsync,
    division: divisionFor(options.engineBytes),
    segmentBytes: limits.segmentBytes,
    segmentItems: limits.segmentItems,
    segmentAgeMs: limits.segmentAgeMs,
    segmentQuiet: limits.segmentQuiet,
    onClosed: (segment) => (paused === undefined ? worker.load(segment) : paused.push(segment)),
    onSync: durations.synced,
  });
  const opened = wal;
  if (worker.pending() > 0) log.info({ segments: worker.pending() }, 'storing data that the last run left in the log');

  const refused: Receiver['refused'] = (principal, signal, { reason, message }) => {
    if (reason === 'unauthenticated' || reason === 'forbidden') return;
    const why = reason === 'malformed' ? countedReason(message) : message;
    refusals.add({ ...principal, signal }, 'refused', why, 1, clock.now());
  };

  /** Judges a request and writes it to the log. `isOnce`: an equal one is the same one again. */
  async function accept({ principal, ...source }: IngestRequest): Promise<{ answer: IngestAnswer; isOnce: boolean }> {
    const { signal, body } = source;
    const receivedAt = clock.now();
    const retentionDays = principal.retentionDays[signal];
    const prepareLimits = {
      now: receivedAt,
      inflatedBytes: limits.inflatedBytes,
      maxItems: limits.items,
      earliest: receivedAt - retentionDays * DAY_MS,
      latest: receivedAt + DAY_MS,
    };
    const series = signal === 'metrics' && budget.isNear(principal.project, receivedAt);
    const prepared = series
      ? await worker.prepare(source, prepareLimits, {
          workspace: principal.workspace,
          project: principal.project,
          environment: principal.environment ?? '',
          retentionDays,
          receivedAt,
          perDay: limits.seriesPerDay,
        })
      : isLong(source)
        ? await worker.prepare(source, prepareLimits)
        : prepare(source, prepareLimits);
    const { items, refused, earliest, lateness } = prepared.outcome;
    const accepted = items - refused.length;
    if (accepted > 0) {
      const entry = {
        signal,
        encoding: prepared.encoding,
        workspace: principal.workspace,
        project: principal.project,
        environment: principal.environment ?? '',
        retentionDays,
        receivedAt,
        items,
        refused: Uint32Array.from(refused),
        body: prepared.body,
      };
      await opened.append(entry, earliest);
    }
    const { project, tokenId } = principal;
    if (accepted > 0) options.onReceived?.({ project, signal, tokenId }, lateness, receivedAt);
    rates.take(project, items, body.length);
    if (signal === 'metrics') budget.accepted(principal.project, accepted, receivedAt);
    refusals.addRejected({ ...principal, signal }, prepared.outcome.reasons, receivedAt);
    const counted = stats.signals[signal];
    counted.requests++;
    counted.accepted += accepted;
    counted.rejected += refused.length;
    counted.bytes += body.length;
    const answer = { accepted, rejected: refused.length, message: refusalMessage(prepared), written: prepared.written };
    return { answer, isOnce: accepted > 0 && !prepared.outcome.isUntimed };
  }

  const ingest: Ingest = {
    recent: worker.recent,
    admit({ project }) {
      const seconds = rates.secondsToWait(project);
      if (seconds === 0) return;
      const message = 'the project exceeds its ingest rate limit';
      throw new Refused('limited', message, { retryAfter: seconds });
    },
    async append(request) {
      const { principal, signal, body } = request;
      ingest.admit(principal);
      const { answer, isRepeat } = await repeats.once(request, () => accept(request));
      if (!isRepeat) return answer;
      const now = clock.now();
      rates.take(principal.project, 0, body.length);
      stats.signals[signal].repeated++;
      refusals.add({ ...principal, signal }, 'repeated', 'requests', 1, now);
      refusals.add({ ...principal, signal }, 'repeated', 'items', answer.accepted, now);
      return answer;
    },
    record: (entry) =>
      opened.append({ ...entry, signal: 'evaluations', encoding: 'evaluations-json', refused: new Uint32Array() }),
    async pause() {
      paused ??= [];
      await worker.drained();
      await refusals.flush();
    },
    resume() {
      const waiting = paused ?? [];
      paused = undefined;
      for (const segment of waiting) worker.load(segment);
    },
    log: opened,
    stats: () => ({ ...stats, storeError, wal: opened.stats(), bodyBytes: bodies.used }),
    unstoredSince: () => opened.since(),
    held: (tenant, signals) => opened.held(tenant, signals),
    pending: () => worker.pending() + (paused?.length ?? 0),
    async flush() {
      await opened.closeOpen();
      await worker.drained();
      await refusals.flush();
    },
    receiver: (authenticate) => ({ append: ingest.append, admit: ingest.admit, authenticate, limits, bodies, refused }),
    async stop() {
      await opened.stop();
      if (storeError === undefined) await within(worker.drained(), limits.drainMs);
      if (storeError === undefined) await within(refusals.stop(), limits.drainMs);
      else refusals.abandon();
      await worker.stop();
      await store.close();
    },
  };
  return ingest;
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
