import type { Clock } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import type { Log } from '../../../platform/log.ts';
import { isConnectionError } from '../../../platform/postgres/database.ts';
import { latenessNs, lookFrom, Seen, skipped } from './rules.ts';
import type { TailLimits } from './settings.ts';
import type { TailSink } from './sink.ts';
import type { TailQuery } from './store.ts';

/** Open tails in total on this replica. */
const maxTails = 500;

const lookEveryMs = 1_000;
const heartbeatEveryMs = 15_000;
const recheckEveryMs = 10_000;
/** Consecutive store failures after which a stream ends. */
const maxFailures = 30;

export interface Tail<Row> {
  readonly workspace: number;
  /** By which the log is searched for what the client is not told. */
  readonly requestId: string;
  readonly query: TailQuery<Row>;
  readonly startNs: bigint;
  /** How long rows are held back, so that late ones come in order. */
  readonly delayNs?: bigint;
  /** Milliseconds; undefined: until one side ends it. */
  readonly lastsMs: number | undefined;
  /** Throws if the caller no longer has access. */
  readonly recheck: () => Promise<void>;
}

export interface Tails {
  /**
   * Takes a place, from the decision to open a tail until it ends. Throws `QUERY_QUEUE_FULL` if too many are open.
   */
  enter(workspace: number): TailPlace;
  count(): number;
  /** Ends the open streams and rejects new ones. */
  stop(): void;
}

export interface TailPlace {
  /** Writes rows to a sink as they arrive, and returns a function that ends this with a reason. */
  readonly follow: <Row>(tail: Tail<Row>, sink: TailSink<Row>) => (reason: Failure) => void;
  /** Gives the place back; a tail that follows does this itself. */
  readonly leave: () => void;
}

export function createTails({ clock, log, limits }: { clock: Clock; log: Log; limits: TailLimits }): Tails {
  const ofWorkspace = new Map<number, number>();
  const open = new Set<AbortController>();
  let stopped = false;

  function enter(workspace: number): AbortController {
    const count = ofWorkspace.get(workspace) ?? 0;
    if (stopped || count >= limits.ofWorkspace || open.size >= maxTails)
      throw fail('QUERY_QUEUE_FULL', { running: count }, { retryAfterSeconds: 5 });
    ofWorkspace.set(workspace, count + 1);
    const controller = new AbortController();
    open.add(controller);
    return controller;
  }

  function leave(workspace: number, controller: AbortController): void {
    if (!open.delete(controller)) return;
    const left = (ofWorkspace.get(workspace) ?? 1) - 1;
    if (left === 0) ofWorkspace.delete(workspace);
    else ofWorkspace.set(workspace, left);
  }

  function start<Row>(tail: Tail<Row>, sink: TailSink<Row>, controller: AbortController, leave: () => void) {
    const { signal } = controller;
    let ended = false;
    const end = (failure: Failure | undefined) => {
      if (ended) return;
      ended = true;
      controller.abort();
      leave();
      if (stopped) sink.stop();
      else sink.end(failure);
    };
    signal.addEventListener('abort', () => end(undefined), { once: true });
    sink.whenGone(() => end(undefined));
    sink.begin(tail.startNs);
    follow(tail, sink, signal, clock).then(
      () => end(undefined),
      (error: unknown) => end(explained(log, tail, signal, error)),
    );
    return end;
  }

  return {
    enter(workspace) {
      const controller = enter(workspace);
      const leaveOnce = () => leave(workspace, controller);
      return { follow: (tail, sink) => start(tail, sink, controller, leaveOnce), leave: leaveOnce };
    },
    count: () => open.size,
    stop() {
      stopped = true;
      for (const controller of open) controller.abort();
    },
  };
}

function explained(
  log: Log,
  { requestId }: Pick<Tail<unknown>, 'requestId'>,
  signal: AbortSignal,
  error: unknown,
): Failure | undefined {
  if (signal.aborted) return undefined;
  if (error instanceof Failure) return error;
  log.error({ err: error, request_id: requestId }, 'a tail failed');
  return fail('INTERNAL', { request_id: requestId });
}

/** Polls once a second until the stream's time is over, its client disconnects, or the store keeps failing. */
async function follow<Row>(tail: Tail<Row>, sink: TailSink<Row>, signal: AbortSignal, clock: Clock): Promise<void> {
  const { lastsMs, recheck } = tail;
  const seen = new Seen<Row>();
  const began = clock.now();
  let written = began;
  // Checked at once: access may have ended between the sign-in of the request and now, when nothing watched this tail.
  let checked = Number.NEGATIVE_INFINITY;
  let failures = 0;
  while (!sink.isGone()) {
    const now = clock.now();
    if (now - checked >= recheckEveryMs && (await passes(recheck))) checked = now;
    try {
      if (await look(tail, sink, seen, now, signal)) written = now;
      failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      failures++;
      // If the store is busy or down for a moment, the next poll shows what was missed.
      if (!isPassing(error) || failures >= maxFailures) throw error;
    }
    if (sink.isGone()) return;
    if (now - written >= heartbeatEveryMs) {
      sink.heartbeat();
      written = now;
    }
    if (lastsMs !== undefined && clock.now() - began >= lastsMs) return;
    await pause(Math.max(0, now + lookEveryMs - clock.now()), signal);
  }
}

/** False if the control plane is unavailable, which has revoked nothing: the next look checks again. */
async function passes(recheck: Tail<unknown>['recheck']): Promise<boolean> {
  try {
    await recheck();
    return true;
  } catch (error) {
    if (isPassing(error) || isConnectionError(error)) return false;
    throw error;
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Failure && (error.error === 'STORE_UNAVAILABLE' || error.error === 'QUERY_QUEUE_FULL');
}

/** One poll; returns whether anything was written. */
async function look<Row>(
  { query, startNs, delayNs = 0n }: Tail<Row>,
  sink: TailSink<Row>,
  seen: Seen<Row>,
  nowMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const nowNs = BigInt(nowMs) * 1_000_000n;
  const fromNs = lookFrom(startNs, nowNs);
  // Senders' clocks may run fast; rows from the far future are not shown.
  const toNs = delayNs > 0n ? nowNs - delayNs : nowNs + latenessNs;
  if (toNs <= fromNs) return false;
  const newestBefore = seen.newestNs;
  const { rows, isFull, newestNs, oldestNs = fromNs } = await query.look(fromNs, toNs, nowMs, signal);
  const gap = isFull ? skipped({ oldestNs, fromNs }, newestBefore) : undefined;
  const count = gap === undefined ? 0 : await query.count(gap.fromNs, gap.toNs, signal);
  if (gap !== undefined && count > 0) sink.dropped(gap, count);
  const wrote = await sink.rows(seen.take(rows));
  seen.reach(newestNs);
  seen.forget(fromNs);
  return wrote || count > 0;
}

/** Throws when the signal aborts it. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', ended);
      resolve();
    }, ms);
    if (signal.aborted) ended();
    else signal.addEventListener('abort', ended, { once: true });
  });
}
