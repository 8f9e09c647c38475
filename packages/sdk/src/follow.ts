import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from './backoff.ts';
import { failureOf, ServerFailure } from './failure.ts';
import type { HeldRuleset } from './held.ts';
import { fetchRuleset } from './http.ts';
import type { Settings } from './options.ts';
import { isPatch, isRuleset, refetchVersion } from './ruleset.ts';
import type { ServerSentEvent } from './sse.ts';
import { followStream } from './stream.ts';

/** First wait after a failure, doubled by each further one up to the cap, and up to the poll interval. */
const BASE_MS = 500;
const CAP_MS = 30_000;
/** A key that was refused is hardly ever accepted later on, but a proxy in between may have refused it. */
const DENIED_MS = 300_000;
/** A replica behind a load balancer may lag behind the one that said `refetch`. */
const REFETCH_ATTEMPTS = 5;

export interface Follower {
  readonly settings: Settings;
  readonly held: HeldRuleset;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** The server confirmed the ruleset that is held, or gave a newer one. */
  readonly onContact: () => void;
  /** It could neither be asked for the ruleset nor for the stream, or a stream broke off. */
  readonly onLost: (failure: ServerFailure) => void;
}

/**
 * Keeps the ruleset up to date until it is ended; never throws and never gives up.
 *
 * A round is: fetch the ruleset, then follow the stream after its version. A stream that worked is taken up again
 * without the fetch. Where no stream can be had (a proxy, an old server, a limit), what is left of a round is the
 * fetch, and the waiting time between rounds grows to the poll interval (30 s at most): that is the fallback.
 */
export async function follow(follower: Follower): Promise<void> {
  const { settings, held, signal, onContact, onLost } = follower;
  const { pollIntervalMs, streaming } = settings;
  const steps = { baseMs: BASE_MS, capMs: Math.min(CAP_MS, pollIntervalMs) };
  let etag: { readonly text: string | undefined; readonly version: number } | undefined;
  let failures = 0;
  /** The stream worked when it was last tried. */
  let streamed = false;
  /** It did not, and the ruleset could be fetched all the same; told once. */
  let fallback = false;
  /** What the last stream asked for. It also holds when a server that dies cuts its streams, and all clients come back. */
  let retryMs: number | undefined;

  async function poll(): Promise<void> {
    // After patches the tag is not the one of what is held.
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
      // A `put` may also go back, which is for `offer` to judge.
      if (type === 'put') await poll();
      return refetch(version);
    }
    if (type === 'patch' && isPatch(body)) return held.patch(body);
    if (type !== 'put' || !isRuleset(body)) throw new ServerFailure('unavailable', `a malformed ${type} event`);
    if (held.offer(body) === 'refused') throw older(body.version);
  }

  /** @throws ServerFailure also when the server ended it in good order */
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
      // Spread by a tenth, so that instances that were started together do not ask together for ever.
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
