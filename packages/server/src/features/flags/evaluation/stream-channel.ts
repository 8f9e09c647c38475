import type { ServerResponse } from 'node:http';
import { nextTimeChange, timeTag } from '@fanion/flag-engine';
import { eventFrame, retryFrame, writeOrCut } from '../../../http/sse.ts';
import { createBreath } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { EventLog } from './event-log.ts';
import type { HeldRuleset, RulesetSwap } from './rulesets.ts';
import { eventId, type Seen } from './sse.ts';

/** A web client evaluates and then connects; without this, it would miss a change in between. */
const gapMs = 30_000;
/** Wait after the time in a rule, so that a server whose clock is slightly behind also gives the new answer. */
const settleMs = 500;
/** Timers cannot wait for longer than 24 days. */
const longestWaitMs = 86_400_000;

/**
 * What a stream sends: the ruleset and its changes, a notice to evaluate again, or in a form of another product at each change
 * the whole ruleset, which may begin with another frame, or what has changed in it, or the answers for the
 * context of one client.
 */
export type StreamKind =
  | 'ruleset'
  | 'refetch'
  /** With `followsTime`, it is also sent when a time passes that a rule compares with. */
  | {
      readonly whole: (held: HeldRuleset) => Promise<Buffer>;
      readonly first?: (held: HeldRuleset) => Promise<Buffer>;
      /** What a client gets in place of the whole that has another version. Empty: nothing has changed for it. */
      readonly change?: (from: HeldRuleset, to: HeldRuleset) => Promise<Buffer>;
      readonly followsTime?: boolean;
    }
  /** `before` is the ruleset whose answers the client has. Empty: nothing has changed for it. */
  | { readonly answers: Answers };

type Answers = (held: HeldRuleset, before: HeldRuleset | undefined) => Buffer;

export interface StreamClient {
  readonly kind: StreamKind;
  readonly keyId: string;
  readonly response: ServerResponse;
  /** The ruleset that was sent in another product's form, or whose answers were. */
  sent: HeldRuleset | undefined;
}

export interface ChannelDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** Streams of all environments. */
  readonly streams: { open: number };
}

/** The open streams of one environment, and what they are sent. */
export class StreamChannel {
  readonly clients = new Set<StreamClient>();
  readonly #environmentId: string;
  readonly #events: EventLog;
  readonly #around: ChannelDependencies;
  #held: HeldRuleset;
  #changedAt: number | undefined;
  /** Whether answers are sent now, and whether they have changed meanwhile. */
  #answering: 'no' | 'yes' | 'again' = 'no';
  /** Until a rule compares `now` with a time that passes. */
  #timer: NodeJS.Timeout | undefined;

  constructor(environmentId: string, held: HeldRuleset, around: ChannelDependencies) {
    this.#environmentId = environmentId;
    this.#events = new EventLog(held.ruleset.version);
    this.#held = held;
    this.#around = around;
    this.#awaitTime(around.clock.now());
  }

  /** @param held the ruleset that the client was admitted with */
  add(client: StreamClient, held: HeldRuleset, seen: Seen | undefined): void {
    this.clients.add(client);
    this.#around.streams.open++;
    this.send(client, retryFrame(1_000, 5_000, this.#around.random()));
    for (const frame of this.#firstFrames(client.kind, held, seen)) this.send(client, frame);
    if (typeof client.kind === 'object' && 'answers' in client.kind) this.#sendAnswers(client, client.kind.answers);
    this.#sendWhole(client);
  }

  remove(client: StreamClient): void {
    if (this.clients.delete(client)) this.#around.streams.open--;
  }

  send(client: StreamClient, frame: Buffer): void {
    if (!writeOrCut(client.response, frame)) this.remove(client);
  }

  /** Ends a stream; the client connects again after a time within these milliseconds. */
  end(client: StreamClient, leastMs: number, mostMs: number): void {
    this.remove(client);
    client.response.end(retryFrame(leastMs, mostMs, this.#around.random()));
  }

  endAll(leastMs: number, mostMs: number): void {
    clearTimeout(this.#timer);
    for (const client of this.clients) this.end(client, leastMs, mostMs);
  }

  swapped(swap: RulesetSwap): void {
    const now = this.#around.clock.now();
    this.#changedAt = now;
    this.#held = swap.held;
    const patch = this.#events.append(swap);
    const refetch = this.#refetchFrame();
    for (const client of this.clients) {
      if (client.kind === 'ruleset') this.send(client, patch);
      else if (client.kind === 'refetch') this.send(client, refetch);
      else this.#sendWhole(client);
    }
    void this.#answerAll();
    this.#awaitTime(now);
  }

  /** Web clients evaluate again when the time in a rule passes. Server SDKs have the ruleset and see it on their own clock. */
  #awaitTime(afterMs: number): void {
    clearTimeout(this.#timer);
    const at = nextTimeChange(this.#held.compiled, afterMs);
    if (at === undefined) return;
    const { clock } = this.#around;
    const wait = at + settleMs - clock.now();
    const look = () => {
      const now = clock.now();
      if (now < at + settleMs) this.#awaitTime(afterMs);
      else this.#timePassed(now);
    };
    this.#timer = setTimeout(look, Math.max(1, Math.min(wait, longestWaitMs))).unref();
  }

  #timePassed(now: number): void {
    this.#changedAt = now;
    const refetch = this.#refetchFrame();
    for (const client of this.clients) {
      const { kind } = client;
      if (kind === 'refetch') this.send(client, refetch);
      else if (typeof kind === 'object' && 'whole' in kind && kind.followsTime) this.#sendWhole(client);
    }
    void this.#answerAll();
    this.#awaitTime(now);
  }

  /** The ruleset of now in the form of the client. A newer one may come while it is converted, and is sent in its place. */
  #sendWhole(client: StreamClient): void {
    const { kind } = client;
    if (typeof kind === 'string' || !('whole' in kind)) return;
    const held = this.#held;
    const { sent } = client;
    const convert = sent === undefined ? (kind.first ?? kind.whole) : kind.whole;
    const made = sent !== undefined && kind.change !== undefined ? kind.change(sent, held) : convert(held);
    made.then(
      (frame) => {
        if (this.#held !== held || !this.clients.has(client)) return;
        client.sent = held;
        if (frame.length > 0) this.send(client, frame);
      },
      (error) => this.#around.log.error({ err: error }, 'a ruleset could not be converted'),
    );
  }

  /** Every client gets different answers, so other requests run between two clients. */
  async #answerAll(): Promise<void> {
    if (this.#answering !== 'no') {
      this.#answering = 'again';
      return;
    }
    const breath = createBreath();
    do {
      this.#answering = 'yes';
      for (const client of [...this.clients]) {
        if (typeof client.kind === 'string' || !('answers' in client.kind)) continue;
        await breath();
        if (this.clients.has(client)) this.#sendAnswers(client, client.kind.answers);
      }
    } while (this.#wasAskedAgain());
    this.#answering = 'no';
  }

  #sendAnswers(client: StreamClient, answers: Answers): void {
    const frame = answers(this.#held, client.sent);
    client.sent = this.#held;
    if (frame.length > 0) this.send(client, frame);
  }

  /** A change during the loop sets it. */
  #wasAskedAgain(): boolean {
    return this.#answering === 'again';
  }

  #firstFrames(kind: StreamKind, held: HeldRuleset, seen: Seen | undefined): readonly Buffer[] {
    if (typeof kind === 'object') return [];
    if (kind === 'ruleset')
      return (seen === undefined ? undefined : this.#events.since(seen.version)) ?? [this.#events.put(held.ruleset)];
    const id = eventId(positionOf(held));
    // Without data no event is dispatched, but the client sends the id when it comes back.
    return [
      this.#hasMissed(held, seen)
        ? eventFrame(undefined, id, JSON.stringify({ type: 'refetchEvaluation' }))
        : Buffer.from(`id: ${id}\n\n`),
    ];
  }

  #hasMissed(held: HeldRuleset, seen: Seen | undefined): boolean {
    const now = this.#around.clock.now();
    const current = positionOf(held);
    if (seen !== undefined)
      return seen.version < current.version || (seen.version === current.version && seen.times !== current.times);
    const passed = nextTimeChange(held.compiled, now - gapMs);
    const hasChanged = this.#changedAt !== undefined && now - this.#changedAt < gapMs;
    return hasChanged || (passed !== undefined && passed <= now);
  }

  #refetchFrame(): Buffer {
    const event = { type: 'refetchEvaluation', etag: `"${this.#environmentId}-${this.#held.ruleset.version}"` };
    return eventFrame(undefined, eventId(positionOf(this.#held)), JSON.stringify(event));
  }
}

function positionOf({ ruleset, compiled }: HeldRuleset): Seen {
  return { version: ruleset.version, times: timeTag(compiled) };
}
