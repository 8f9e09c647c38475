import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from './backoff.ts';
import { failureOf, ServerFailure } from './failure.ts';
import type { HeldRuleset } from './held.ts';
import { fetchRuleset } from './http.ts';
import type { Settings } from './options.ts';
import { isPatch, isRuleset, refetchVersion } from './ruleset.ts';
import type { ServerSentEvent } from './sse.ts';
import { followStream } from './stream.ts';

/** First wait after a failure. Doubles with each further one, up to the cap and the poll interval. */
const BASE_MS = 500;
const CAP_MS = 30_000;
/** A rejected key is rarely accepted later, but a proxy may have rejected it. */
const DENIED_MS = 300_000;
/** A replica behind a load balancer may lag behind the one that sent `refetch`. */
const REFETCH_ATTEMPTS = 5;

export interface Follower {
  readonly settings: Settings;
  readonly held: HeldRuleset;
  /** Ends following. */
  readonly signal: AbortSignal;
  /** The server confirmed the current ruleset, or sent a newer one. */
  readonly onContact: () => void;
  /** A request for the ruleset or the stream failed, or a stream was interrupted. */
  readonly onLost: (failure: ServerFailure) => void;
}

/**
 * Keeps the ruleset up to date until it is ended. Never throws and never gives up.
 *
 * A round is: fetch the ruleset, then follow the stream after its version. A stream that worked is resumed without the
 * fetch. If no stream is possible (a proxy, an old server, a limit), a round is only the fetch, and the wait between
 * rounds grows to the poll interval (30 s at most). That is the fallback.
 */
export async function follow(follower: Follower): Promise<void> {
  const { settings, held, signal, onContact, onLost } = follower;
  const { pollIntervalMs, streaming } = settings;
  const steps = { baseMs: BASE_MS, capMs: Math.min(CAP_MS, pollIntervalMs) };
  let etag: { readonly text: string | undefined; readonly version: number } | undefined;
  let failures = 0;
  /** Whether the stream worked at the last attempt. */
  let streamed = false;
  /** Whether it did not, although the ruleset could be fetched; logged once. */
  let fallback = false;
  /**
   * The last stream's reconnection time. It also applies when a failing server drops its streams and all clients
   * reconnect.
   */
  let retryMs: number | undefined;

  async function poll(): Promise<void> {
    // After patches the tag does not match the current ruleset.
    const known = etag !== undefined && etag.version === held.ruleset?.version ? etag.text : undefined;
    const fetched = await fetchRuleset(settings, known, signal);
    if (fetched === undefined) return;
    const { ruleset } = fetched;
    if (held.offer(ruleset) === 'refused') throw older(ruleset.version);
    etag = { text: fetched.etag, version: ruleset.version };
  }

  async function refetch(version: number): Promise<void> {
    for (let attempt = 1; (held.ruleset?.version ?? -1) < version; attempt++) {
      const fetched = await fetchRuleset(settings, undefined, signal);
      if (fetched !== undefined) held.offer(fetched.ruleset);
      if ((held.ruleset?.version ?? -1) >= version) return;
      if (attempt === REFETCH_ATTEMPTS) throw new ServerFailure('unavailable', `version ${version} could not be had`);
      await wait(backoffMs({ ...steps, failures: attempt }, Math.random()), signal);
    }
  }

  async function take({ type, data }: ServerSentEvent): Promise<void> {
    if (type !== 'put' && type !== 'patch') return;
    const body: unknown = parsed(data);
    const version = refetchVersion(body);
    if (version !== undefined) {
      // A `put` may also contain an older version; `offer` decides.
      if (type === 'put') await poll();
      return refetch(version);
    }
    if (type === 'patch' && isPatch(body)) return held.patch(body);
    if (type !== 'put' || !isRuleset(body)) throw new ServerFailure('unavailable', `a malformed ${type} event`);
    if (held.offer(body) === 'refused') throw older(body.version);
  }

  /** @throws ServerFailure also when the server ended it gracefully */
  async function stream(): Promise<never> {
    streamed = false;
    const version = held.ruleset?.version ?? 0;
    const onAlive = (asked: number | undefined) => {
      streamed = true;
      fallback = false;
      retryMs = asked;
      failures = 0;
      onContact();
    };
    await followStream({ settings, version, signal, onAlive, onEvent: take });
    throw new ServerFailure('unavailable', 'the stream ended');
  }

  while (!signal.aborted) {
    let floorMs: number | undefined;
    let polled = false;
    try {
      if (!streamed) {
        await poll();
        polled = true;
        onContact();
      }
      if (streaming) await stream();
      failures = 0;
      // Randomized by a tenth, so that instances that started together do not poll together forever.
      floorMs = pollIntervalMs * (0.9 + 0.1 * Math.random());
    } catch (error) {
      if (signal.aborted) return;
      const failure = failureOf(error);
      failures += 1;
      floorMs = failure.kind === 'denied' ? DENIED_MS : (failure.retryAfterMs ?? retryMs);
      retryMs = undefined;
      if (!polled || streamed || failure.kind === 'denied') onLost(failure);
      else if (!fallback) settings.logger.warn(`fanion: polling, since there is no stream: ${failure.message}`);
      fallback = polled && !streamed;
    }
    await wait(backoffMs({ ...steps, failures, floorMs }, Math.random()), signal);
  }
}

function older(version: number): ServerFailure {
  return new ServerFailure('unavailable', `the server offers version ${version}, which is older than what is served`);
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** Does not keep the process alive; ends early with the signal. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
