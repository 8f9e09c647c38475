import type { Lateness, WalSignal } from '@fanion/telemetry';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Database } from '../postgres/database.ts';
import type { OthersStored, StoredTo } from '../replicas/index.ts';
import { forgottenAfterMs, isSettled, lateMsOf, leastLateMs, newSource, type Source, withRequest } from './rules.ts';
import { listArrivals, removeArrivals, type StoredArrival, saveArrivals } from './store.ts';

/** What sends telemetry: a token, for one signal of a project. */
export interface ArrivalSource {
  readonly project: number;
  readonly signal: WalSignal;
  readonly tokenId: string;
}

export interface ArrivalPlace {
  readonly workspace: number;
  readonly project: number;
}

/** How often what was learnt is published and read. */
const shareMs = 5_000;
/** What did not change is published again after this time, so that it is not forgotten. */
const repeatMs = 600_000;
/** Tokens of one project and signal that are told apart; further ones count as one. */
const mostSources = 64;
const manySources = 'others';

interface ArrivalsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** This server. */
  readonly replica: string;
  /** What other servers have stored. */
  readonly others: OthersStored;
  /** Since when what was received is in this server's log; undefined: it has nothing. */
  readonly held: (place: ArrivalPlace, signals: readonly WalSignal[]) => { readonly since: number | undefined };
}

/**
 * How late the telemetry of each project arrives, and what of it cannot be queried yet. All servers that share a control plane learn
 * together, and remember over restarts.
 */
export class Arrivals {
  readonly #options: ArrivalsOptions;
  /** By project and signal, and then by token. */
  readonly #own = new Map<string, Map<string, Source>>();
  /** Of other servers, and of this one before it was started: by project and signal, and then by token and server. */
  readonly #known = new Map<string, Map<string, { readonly lateMs: number; readonly seenAt: number }>>();
  readonly #published = new Map<string, { readonly lateMs: number; readonly at: number }>();
  #sharedAt = Number.NEGATIVE_INFINITY;
  #prunedAt = Number.NEGATIVE_INFINITY;
  #sharing: Promise<void> | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(options: ArrivalsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#shareOnce().catch((error: unknown) =>
        options.log.warn({ err: error }, 'could not share how late telemetry arrives'),
      );
    }, shareMs).unref();
  }

  /** Learns from an accepted request. */
  received({ project, signal, tokenId }: ArrivalSource, lateness: Lateness, receivedAt: number): void {
    const key = keyOf(project, signal);
    const sources = this.#own.get(key) ?? new Map<string, Source>();
    const source = sources.has(tokenId) || sources.size < mostSources ? tokenId : manySources;
    sources.set(source, withRequest(sources.get(source) ?? newSource(receivedAt), lateness, receivedAt));
    this.#own.set(key, sources);
  }

  /**
   * How long after its own time telemetry of these signals is received, in milliseconds: from 100 to 120,000, that of the slowest source
   * of the last hour. What the last `refresh` read is included.
   */
  lateMs(project: number, signals: readonly WalSignal[]): number {
    let lateMs: number = leastLateMs;
    for (const signal of signals) {
      const key = keyOf(project, signal);
      const sources = this.#own.get(key);
      for (const source of sources?.values() ?? []) lateMs = Math.max(lateMs, lateMsOf(source));
      for (const [name, before] of this.#known.get(key) ?? []) {
        const [source = '', by] = name.split(' ');
        const learnt = by === this.#options.replica ? sources?.get(source) : undefined;
        if (learnt === undefined || !isSettled(learnt)) lateMs = Math.max(lateMs, before.lateMs);
      }
    }
    return lateMs;
  }

  /** Up to when what was received of these signals can be queried, by all servers, in milliseconds since the epoch. */
  storedTo(place: ArrivalPlace, signals: readonly WalSignal[]): StoredTo {
    const { others, held, clock } = this.#options;
    return others.withOwn(held(place, signals).since ?? clock.now());
  }

  /** Reads what other servers have published, unless that was just read. */
  async refresh(): Promise<void> {
    await this.#options.others.refresh();
    await this.#shareOnce();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sharing;
  }

  async #publish(nowMs: number): Promise<void> {
    const { replica, db } = this.#options;
    const changed: StoredArrival[] = [];
    for (const [key, sources] of this.#own) {
      for (const [source, learnt] of sources) {
        if (nowMs - learnt.seenAt > forgottenAfterMs) {
          sources.delete(source);
          this.#published.delete(`${key} ${source}`);
          continue;
        }
        const lateMs = lateMsOf(learnt);
        const before = this.#published.get(`${key} ${source}`);
        if (before?.lateMs === lateMs && nowMs - before.at < repeatMs) continue;
        if (!isSettled(learnt) && lateMs < (this.#known.get(key)?.get(`${source} ${replica}`)?.lateMs ?? 0)) continue;
        const [project = '', signal = ''] = key.split(' ');
        changed.push({ project: Number(project), signal, source, lateMs, seenAt: new Date(nowMs) });
      }
      if (sources.size === 0) this.#own.delete(key);
    }
    await saveArrivals(db, replica, changed);
    for (const { project, signal, source, lateMs } of changed)
      this.#published.set(`${keyOf(project, signal)} ${source}`, { lateMs, at: nowMs });
  }

  async #read(nowMs: number): Promise<void> {
    // Clocks of servers differ a little, and a transaction takes a while.
    const since = Math.max(nowMs - forgottenAfterMs, this.#sharedAt - 60_000);
    for (const { project, signal, source, replica: by, lateMs, seenAt } of await listArrivals(
      this.#options.db,
      new Date(since),
    )) {
      const key = keyOf(project, signal);
      const sources = this.#known.get(key) ?? new Map();
      this.#known.set(key, sources.set(`${source} ${by}`, { lateMs, seenAt: seenAt.getTime() }));
    }
    for (const [key, sources] of this.#known) {
      for (const [source, { seenAt }] of sources) if (nowMs - seenAt > forgottenAfterMs) sources.delete(source);
      if (sources.size === 0) this.#known.delete(key);
    }
  }

  async #share(): Promise<void> {
    const nowMs = this.#options.clock.now();
    if (Math.abs(nowMs - this.#sharedAt) < shareMs) return;
    await this.#publish(nowMs);
    await this.#read(nowMs);
    this.#sharedAt = nowMs;
    if (Math.abs(nowMs - this.#prunedAt) < forgottenAfterMs) return;
    await removeArrivals(this.#options.db, new Date(nowMs - 24 * forgottenAfterMs));
    this.#prunedAt = nowMs;
  }

  /** One at a time. */
  #shareOnce(): Promise<void> {
    this.#sharing ??= this.#share().finally(() => {
      this.#sharing = undefined;
    });
    return this.#sharing;
  }
}

function keyOf(project: number, signal: string): string {
  return `${project} ${signal}`;
}
