import type { ServerResponse } from 'node:http';
import { beginStream, eventFrame, heartbeat, writeOrCut } from '../../../http/sse.ts';
import { whenClosed } from '../../../http/when-closed.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import type { Log } from '../../../platform/log.ts';
import { isConnectionError } from '../../../platform/postgres/database.ts';
import { formatNs } from '../../../platform/time-window.ts';
import { latenessNs, lookFrom, maxRowsOfLook, Seen, skipped } from './rules.ts';
import type { TailQuery, TailRow } from './store.ts';

/** Open streams per workspace, and in total on this replica. */
export const maxOfWorkspace = 10;
const maxTails = 500;

const lookEveryMs = 1_000;
const heartbeatEveryMs = 15_000;
const recheckEveryMs = 10_000;
/** Consecutive store failures after which a stream ends. */
const maxFailures = 30;

export interface Tail {
  readonly workspace: number;
  /** By which the log is searched for what the client is not told. */
  readonly requestId: string;
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string | string[] | number>>;
  readonly query: TailQuery;
  readonly startNs: bigint;
  /** Milliseconds; undefined: until one side ends it. */
  readonly lastsMs: number | undefined;
  /** Throws if the caller no longer has access. */
  readonly recheck: () => Promise<void>;
}

export interface Tails {
  /**
   * Responds with a stream, and returns a function that ends it with a reason. Throws `QUERY_QUEUE_FULL` if too many
   * are open.
   */
  open(tail: Tail): (reason: Failure) => void;
  count(): number;
  /** Ends the open streams and rejects new ones. */
  stop(): void;
}

export function createTails({ clock, log }: { clock: Clock; log: Log }): Tails {
  const ofWorkspace = new Map<number, number>();
  const open = new Set<AbortController>();
  let stopped = false;

  function enter(workspace: number): AbortController {
    const count = ofWorkspace.get(workspace) ?? 0;
    if (stopped || count >= maxOfWorkspace || open.size >= maxTails)
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

  return {
    open(tail) {
      const controller = enter(tail.workspace);
      const { response, requestId } = tail;
      const end = () => {
        controller.abort();
        leave(tail.workspace, controller);
      };
      whenClosed(response, end);
      beginStream(response, tail.headers);
      const tell = (error: unknown) => {
        if (controller.signal.aborted) return;
        const failure = error instanceof Failure ? error : fail('INTERNAL', { request_id: requestId });
        if (!(error instanceof Failure)) log.error({ err: error, request_id: requestId }, 'a tail failed');
        send(response, 'error', undefined, { code: failure.code, message: failure.message });
      };
      const close = () => {
        end();
        response.end();
      };
      follow(tail, controller.signal, clock).catch(tell).finally(close);
      return (reason) => {
        tell(reason);
        close();
      };
    },
    count: () => open.size,
    stop() {
      stopped = true;
      for (const controller of open) controller.abort();
    },
  };
}

/** Polls once a second until the stream's time is over, its client disconnects, or the store keeps failing. */
async function follow(tail: Tail, signal: AbortSignal, clock: Clock): Promise<void> {
  const { response, query, startNs, lastsMs, recheck } = tail;
  const seen = new Seen<TailRow>();
  const began = clock.now();
  let written = began;
  // Checked at once: access may have ended between the sign-in of the request and now, when nothing watched this tail.
  let checked = Number.NEGATIVE_INFINITY;
  let failures = 0;
  if (!send(response, 'ready', undefined, { from: formatNs(startNs), columns: query.columns })) return;
  for (;;) {
    const now = clock.now();
    if (now - checked >= recheckEveryMs && (await passes(recheck))) checked = now;
    try {
      if (await look(tail, seen, now, signal)) written = now;
      failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      failures++;
      // If the store is busy or down for a moment, the next poll shows what was missed.
      if (!isPassing(error) || failures >= maxFailures) throw error;
    }
    if (response.destroyed) return;
    if (now - written >= heartbeatEveryMs) {
      if (!writeOrCut(response, heartbeat)) return;
      written = now;
    }
    if (lastsMs !== undefined && clock.now() - began >= lastsMs) return;
    await pause(Math.max(0, now + lookEveryMs - clock.now()), signal);
  }
}

/** False if the control plane is unavailable, which has revoked nothing: the next look checks again. */
async function passes(recheck: Tail['recheck']): Promise<boolean> {
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
async function look({ response, query, startNs }: Tail, seen: Seen<TailRow>, nowMs: number, signal: AbortSignal) {
  const nowNs = BigInt(nowMs) * 1_000_000n;
  const fromNs = lookFrom(startNs, nowNs);
  // Senders' clocks may run fast; rows from the far future are not shown.
  const toNs = nowNs + latenessNs;
  const newestBefore = seen.newestNs;
  const rows = await query.look(fromNs, toNs, nowMs, signal);
  const shown = rows.slice(0, maxRowsOfLook);
  const oldestNs = shown.at(-1)?.timeNs ?? fromNs;
  const gap = skipped({ rows: rows.length, oldestNs, fromNs }, newestBefore);
  let wrote = false;
  if (gap !== undefined) {
    const count = await query.count(gap.fromNs, gap.toNs, signal);
    if (count > 0) {
      send(response, 'dropped', undefined, { count, from: formatNs(gap.fromNs), to: formatNs(gap.toNs) });
      wrote = true;
    }
  }
  for (const { row, timeNs } of seen.take(shown)) {
    if (!send(response, 'row', String(timeNs), row)) break;
    wrote = true;
  }
  seen.forget(fromNs);
  return wrote;
}

/** False: the client was disconnected. */
function send(response: ServerResponse, event: string, id: string | undefined, data: object): boolean {
  return writeOrCut(response, eventFrame(event, id, JSON.stringify(data)));
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
