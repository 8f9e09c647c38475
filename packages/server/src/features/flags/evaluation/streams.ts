import type { ServerResponse } from 'node:http';
import { beginStream, heartbeat } from '../../../http/sse.ts';
import { whenClosed } from '../../../http/when-closed.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Log } from '../../../platform/log.ts';
import type { HeldRuleset, Rulesets } from './rulesets.ts';
import type { Seen } from './sse.ts';
import { StreamChannel, type StreamClient, type StreamKind } from './stream-channel.ts';
import { createStreamKeys } from './stream-keys.ts';

export type { StreamKind } from './stream-channel.ts';

const maxStreams = 20_000;
const heartbeatMs = 15_000;
const keyCheckMs = 2_000;

export interface Streams {
  /** Answers with a stream that lasts until one side ends it. Throws `RATE_LIMITED` when there are too many. */
  open(
    kind: StreamKind,
    stream: {
      readonly environmentId: string;
      readonly keyId: string;
      readonly held: HeldRuleset;
      readonly response: ServerResponse;
      readonly headers?: Readonly<Record<string, string>>;
      /** The last event that the client has. */
      readonly seen: Seen | undefined;
      /** Ends the stream after this time. */
      readonly seconds?: number | undefined;
    },
  ): void;
  /** Checks at once which keys are still valid, and ends the streams of the others. */
  checkKeys(): void;
  /** Whether a key is still valid. True while the control plane is down, since nobody can revoke it then. */
  isLive(keyId: string): Promise<boolean>;
  /** Number of open streams. */
  count(): number;
  /** Rejects new streams and ends the open ones, with reconnects spread over some seconds. */
  stop(): void;
}

interface StreamParts {
  readonly rulesets: Rulesets;
  /** Returns those of these keys that are still valid. */
  readonly liveKeys: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: () => number;
}

/**
 * Every open stream of this replica, by environment. A change is one frame, written to all of them when the ruleset is
 * swapped in.
 */
export function createStreams({ rulesets, liveKeys, clock, log, random = Math.random }: StreamParts): Streams {
  const channels = new Map<string, StreamChannel>();
  const streams = { open: 0 };
  let stopped = false;

  rulesets.listen({
    swapped: (swap) => channels.get(swap.environmentId)?.swapped(swap),
    dropped(environmentId) {
      channels.get(environmentId)?.endAll(30_000, 60_000);
      channels.delete(environmentId);
    },
  });
  const heartbeats = setInterval(() => {
    for (const channel of channels.values()) for (const client of channel.clients) channel.send(client, heartbeat);
  }, heartbeatMs).unref();

  const keys = createStreamKeys({
    inUse: () => new Set([...channels.values()].flatMap(({ clients }) => [...clients].map(({ keyId }) => keyId))),
    liveKeys,
    endOthers(checked, live) {
      for (const channel of channels.values())
        for (const client of channel.clients)
          if (checked.has(client.keyId) && !live.has(client.keyId)) channel.end(client, 30_000, 60_000);
    },
    log,
  });
  const keyChecks = setInterval(() => void keys.check(), keyCheckMs).unref();

  return {
    open(kind, { environmentId, keyId, held, response, headers = {}, seen, seconds }) {
      if (stopped || streams.open >= maxStreams) {
        const retryAfterSeconds = Math.ceil(5 + random() * 25);
        throw fail('RATE_LIMITED', { seconds: retryAfterSeconds }, { retryAfterSeconds });
      }
      const channel =
        channels.get(environmentId) ?? new StreamChannel(environmentId, held, { clock, log, random, streams });
      channels.set(environmentId, channel);
      const client: StreamClient = { kind, keyId, response, sent: undefined };
      beginStream(response, headers);
      channel.add(client, held, seen);
      whenClosed(response, () => channel.remove(client));
      if (seconds === undefined) return;
      const ending = setTimeout(() => channel.end(client, 1_000, 5_000), seconds * 1_000).unref();
      whenClosed(response, () => clearTimeout(ending));
    },
    checkKeys: () => void keys.check(),
    isLive: keys.isLive,
    count: () => streams.open,
    stop() {
      stopped = true;
      clearInterval(heartbeats);
      clearInterval(keyChecks);
      for (const channel of channels.values()) channel.endAll(500, 10_000);
    },
  };
}
