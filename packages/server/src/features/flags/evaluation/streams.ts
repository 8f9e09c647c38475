import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { nextTimeChange, timeTag } from '@fanion/flag-engine';
import { beginStream, eventFrame, heartbeat, retryFrame, writeOrCut } from '../../../http/sse.ts';
import { whenClosed } from '../../../http/when-closed.ts';
import { createBreath } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Log } from '../../../platform/log.ts';
import { EventLog } from './event-log.ts';
import type { HeldRuleset, Rulesets } from './rulesets.ts';
import { eventId, type Seen } from './sse.ts';

const maxStreams = 20_000;
const heartbeatMs = 15_000;
const keyCheckMs = 2_000;
/** A web client evaluates and then connects; without this, it would miss a change in between. */
const gapMs = 30_000;
/** After the time of a rule, so that servers whose clocks are a little behind give the new answer too. */
const settleMs = 500;
/** Timers cannot wait for longer than 24 days. */
const longestWaitMs = 86_400_000;

/**
 * What a stream sends: the ruleset and its changes, a notice to evaluate again, or in a form of another product at each change
 * the whole ruleset, which may begin with another frame, or the answers for the context of one client.
 */
export type StreamKind =
  | 'ruleset'
  | 'refetch'
  /** With `followsTime`, it is also sent when a time passes that a rule compares with. */
  | {
      readonly whole: (held: HeldRuleset) => Promise<Buffer>;
      readonly first?: (held: HeldRuleset) => Promise<Buffer>;
      readonly followsTime?: boolean;
    }
  | { readonly answers: (held: HeldRuleset) => Buffer };

interface Client {
  readonly kind: StreamKind;
  readonly keyId: string;
  readonly response: ServerResponse;
  /** Whether a whole ruleset was sent. */
  hasWhole: boolean;
}

interface Channel {
  readonly environmentId: string;
  readonly log: EventLog;
  readonly clients: Set<Client>;
  held: HeldRuleset;
  changedAt: number | undefined;
  /** Whether answers are sent now, and whether they have changed meanwhile. */
  answering: 'no' | 'yes' | 'again';
  /** Until a rule compares `now` with a time that passes. */
  timer: NodeJS.Timeout | undefined;
}

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

/**
 * Every open stream of this replica, by environment. A change is one frame, written to all of them when the ruleset is
 * swapped in.
 */
export function createStreams({
  rulesets,
  liveKeys,
  clock,
  log,
  random = Math.random,
}: {
  rulesets: Rulesets;
  /** Returns those of these keys that are still valid. */
  liveKeys: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  clock: Clock;
  log: Log;
  random?: () => number;
}): Streams {
  const channels = new Map<string, Channel>();
  let open = 0;
  let stopped = false;

  function remove(channel: Channel, client: Client): void {
    if (channel.clients.delete(client)) open--;
  }

  function send(channel: Channel, client: Client, frame: Buffer): void {
    if (!writeOrCut(client.response, frame)) remove(channel, client);
  }

  function end(channel: Channel, client: Client, retry: Buffer): void {
    remove(channel, client);
    client.response.end(retry);
  }

  /** The ruleset of now in the form of the client. A newer one may come while it is converted, and is sent in its place. */
  function sendWhole(channel: Channel, client: Client): void {
    const { kind } = client;
    if (typeof kind === 'string' || !('whole' in kind)) return;
    const { held } = channel;
    const convert = client.hasWhole ? kind.whole : (kind.first ?? kind.whole);
    convert(held).then(
      (frame) => {
        if (channel.held !== held || !channel.clients.has(client)) return;
        client.hasWhole = true;
        send(channel, client, frame);
      },
      (error) => log.error({ err: error }, 'a ruleset could not be converted'),
    );
  }

  /** Web clients evaluate again when the time of a rule passes; servers have the ruleset and a clock of their own. */
  function awaitTime(channel: Channel, afterMs: number): void {
    clearTimeout(channel.timer);
    const at = nextTimeChange(channel.held.compiled, afterMs);
    if (at === undefined) return;
    const wait = at + settleMs - clock.now();
    const look = () => {
      const now = clock.now();
      if (now < at + settleMs) return awaitTime(channel, afterMs);
      channel.changedAt = now;
      const refetch = refetchFrame(channel.environmentId, channel.held);
      for (const client of channel.clients) {
        const { kind } = client;
        if (kind === 'refetch') send(channel, client, refetch);
        else if (typeof kind === 'object' && 'whole' in kind && kind.followsTime) sendWhole(channel, client);
      }
      void answerAll(channel);
      awaitTime(channel, now);
    };
    channel.timer = setTimeout(look, Math.max(1, Math.min(wait, longestWaitMs))).unref();
  }

  /** Every client gets different answers, so other requests run between two clients. */
  async function answerAll(channel: Channel): Promise<void> {
    if (channel.answering !== 'no') {
      channel.answering = 'again';
      return;
    }
    const breath = createBreath();
    do {
      channel.answering = 'yes';
      for (const client of [...channel.clients]) {
        if (typeof client.kind === 'string' || !('answers' in client.kind)) continue;
        await breath();
        if (channel.clients.has(client)) send(channel, client, client.kind.answers(channel.held));
      }
    } while (wasAskedAgain(channel));
    channel.answering = 'no';
  }

  rulesets.listen({
    swapped(swap) {
      const channel = channels.get(swap.environmentId);
      if (channel === undefined) return;
      channel.changedAt = clock.now();
      channel.held = swap.held;
      const patch = channel.log.append(swap);
      const refetch = refetchFrame(swap.environmentId, swap.held);
      for (const client of channel.clients) {
        const { kind } = client;
        if (typeof kind === 'string') send(channel, client, kind === 'ruleset' ? patch : refetch);
        else sendWhole(channel, client);
      }
      void answerAll(channel);
      awaitTime(channel, channel.changedAt);
    },
    dropped(environmentId) {
      const channel = channels.get(environmentId);
      if (channel === undefined) return;
      channels.delete(environmentId);
      clearTimeout(channel.timer);
      for (const client of channel.clients) end(channel, client, retryFrame(30_000, 60_000, random()));
    },
  });

  const heartbeats = setInterval(() => {
    for (const channel of channels.values()) for (const client of channel.clients) send(channel, client, heartbeat);
  }, heartbeatMs).unref();

  /** Ends streams whose key was revoked, here or on another replica, or whose environment was removed. */
  let checking = false;
  let checkAgain = false;
  async function checkKeys(): Promise<void> {
    if (checking) {
      checkAgain = true;
      return;
    }
    const ids = new Set([...channels.values()].flatMap(({ clients }) => [...clients].map(({ keyId }) => keyId)));
    if (ids.size === 0) return;
    checking = true;
    try {
      const live = await liveKeys([...ids]);
      for (const channel of channels.values())
        for (const client of channel.clients)
          if (ids.has(client.keyId) && !live.has(client.keyId))
            end(channel, client, retryFrame(30_000, 60_000, random()));
    } catch (error) {
      // While the control plane is down, nobody can revoke a key either.
      log.debug({ err: error }, 'could not check the keys of streams');
    } finally {
      checking = false;
    }
    // The check may have missed a key that was revoked while it ran.
    if (!checkAgain) return;
    checkAgain = false;
    await checkKeys();
  }
  const keyChecks = setInterval(() => void checkKeys(), keyCheckMs).unref();

  /** Looks up all keys of one turn of the event loop together, since clients reconnect all at once. */
  let asking: { readonly ids: Set<string>; readonly live: Promise<ReadonlySet<string>> } | undefined;
  async function isLive(keyId: string): Promise<boolean> {
    if (asking === undefined) {
      const ids = new Set<string>();
      const live = nextTurn().then(() => {
        asking = undefined;
        return liveKeys([...ids]);
      });
      asking = { ids, live };
    }
    asking.ids.add(keyId);
    return asking.live.then(
      (live) => live.has(keyId),
      () => true,
    );
  }

  return {
    open(kind, { environmentId, keyId, held, response, headers = {}, seen, seconds }) {
      if (stopped || open >= maxStreams) {
        const seconds = Math.ceil(5 + random() * 25);
        throw fail('RATE_LIMITED', { seconds }, { retryAfterSeconds: seconds });
      }
      let channel = channels.get(environmentId);
      if (channel === undefined) {
        const log = new EventLog(held.ruleset.version);
        const begun = { changedAt: undefined, answering: 'no', timer: undefined } as const;
        channel = { environmentId, log, clients: new Set(), held, ...begun };
        channels.set(environmentId, channel);
        awaitTime(channel, clock.now());
      }
      const own = channel;
      const client: Client = { kind, keyId, response, hasWhole: false };
      own.clients.add(client);
      open++;
      whenClosed(response, () => remove(own, client));
      beginStream(response, headers);
      send(own, client, retryFrame(1_000, 5_000, random()));
      for (const frame of firstFrames(kind, own, held, seen, clock.now())) send(own, client, frame);
      sendWhole(own, client);
      if (seconds === undefined) return;
      const ending = setTimeout(() => end(own, client, retryFrame(1_000, 5_000, random())), seconds * 1_000).unref();
      whenClosed(response, () => clearTimeout(ending));
    },
    checkKeys: () => void checkKeys(),
    isLive,
    count: () => open,
    stop() {
      stopped = true;
      clearInterval(heartbeats);
      clearInterval(keyChecks);
      for (const channel of channels.values()) {
        clearTimeout(channel.timer);
        for (const client of channel.clients) end(channel, client, retryFrame(500, 10_000, random()));
      }
    },
  };
}

function firstFrames(
  kind: StreamKind,
  { log, changedAt }: Channel,
  held: HeldRuleset,
  seen: Seen | undefined,
  now: number,
): readonly Buffer[] {
  if (typeof kind === 'object') return 'answers' in kind ? [kind.answers(held)] : [];
  if (kind === 'ruleset') return (seen === undefined ? undefined : log.since(seen.version)) ?? [log.put(held.ruleset)];
  const current = positionOf(held);
  const passed = nextTimeChange(held.compiled, now - gapMs);
  const missed =
    seen === undefined
      ? (changedAt !== undefined && now - changedAt < gapMs) || (passed !== undefined && passed <= now)
      : seen.version < current.version || (seen.version === current.version && seen.times !== current.times);
  const id = eventId(current);
  // Without data no event is dispatched, but the client sends the id when it comes back.
  return [
    missed ? eventFrame(undefined, id, JSON.stringify({ type: 'refetchEvaluation' })) : Buffer.from(`id: ${id}\n\n`),
  ];
}

/** A change during the loop sets it. */
const wasAskedAgain = (channel: Channel) => channel.answering === 'again';

function positionOf({ ruleset, compiled }: HeldRuleset): Seen {
  return { version: ruleset.version, times: timeTag(compiled) };
}

function refetchFrame(environmentId: string, held: HeldRuleset): Buffer {
  const event = { type: 'refetchEvaluation', etag: `"${environmentId}-${held.ruleset.version}"` };
  return eventFrame(undefined, eventId(positionOf(held)), JSON.stringify(event));
}
