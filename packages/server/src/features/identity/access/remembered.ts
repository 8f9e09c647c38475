import type { Outage } from '../../../http/caller.ts';
import type { Clock } from '../../../platform/clock.ts';
import { patiently } from '../../../platform/patience.ts';
import { isConnectionError } from '../../../platform/postgres/database.ts';

/** How long a revoked credential can still pass on another replica; on the one that revoked it, it ends at once. */
const revocationMs = 2_000;
/** How long anything is cached without another look-up. */
const keptMs = 60_000;
/** How old a fact may be that counts while the control plane is away. */
const awayMs = 900_000;
/** How long a look-up may take before the control plane is taken for away; none for a while after that. */
const patienceMs = 1_000;
const awayForMs = 2_000;

/** Facts of the control plane by key. What does not exist is not a fact. */
export interface Facts<V> {
  /** Undefined if it must be looked up. */
  get(key: string): V | undefined;
  /** Also a fact that may have changed since, which is better than nothing while the control plane is down. */
  getStale(key: string): V | undefined;
  /**
   * The cached fact, or the result of `ask`. Concurrent callers share one look-up.
   * @param outage where the fact may be up to 15 minutes old while the control plane is away
   */
  find(key: string, ask: () => Promise<V | undefined>, outage?: Outage): Promise<V | undefined>;
  forget(concerns: (value: V) => boolean): void;
}

export interface Memory {
  facts<V>(max: number): Facts<V>;
  /** Call after a change: look-ups in progress are not cached. */
  change(): void;
  /** Whether nothing has changed since `moment`. */
  moment(): number;
}

interface MemoryOptions {
  readonly clock: Clock;
  /** Unix milliseconds before which all changes that were committed anywhere have been told. */
  readonly toldUntil: () => number;
}

/** What all facts of a memory share. */
interface State {
  /** Grows with each change. */
  moment: number;
  /** Until when the control plane is taken for away. */
  awayUntil: number;
  readonly pending: Map<string, Promise<unknown>>[];
}

/**
 * Remembers who may do what, for as long as a change of it is certain to be heard of within two seconds. That is so while
 * the outbox is read: every change that takes something away is in it. While it cannot be read, a fact lasts two seconds.
 */
export function createMemory(options: MemoryOptions): Memory {
  const state: State = { moment: 0, awayUntil: Number.NEGATIVE_INFINITY, pending: [] };
  return {
    facts: (max) => factsOf(max, state, options),
    change() {
      state.moment++;
      for (const asking of state.pending) asking.clear();
    },
    moment: () => state.moment,
  };
}

function factsOf<V>(max: number, state: State, { clock, toldUntil }: MemoryOptions): Facts<V> {
  const kept = new Map<string, { readonly value: V; readonly askedAt: number }>();
  const asking = new Map<string, Promise<V | undefined>>();
  state.pending.push(asking);

  async function ask(key: string, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const began = state.moment;
    const askedAt = clock.now();
    const value = await load();
    if (began !== state.moment) return value;
    kept.delete(key);
    if (value !== undefined) kept.set(key, { value, askedAt });
    const [oldest] = kept.keys();
    if (kept.size > max && oldest !== undefined) kept.delete(oldest);
    return value;
  }

  function begin(key: string, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const asked = ask(key, load).finally(() => {
      if (asking.get(key) === asked) asking.delete(key);
    });
    asking.set(key, asked);
    return asked;
  }

  function get(key: string): V | undefined {
    const fact = kept.get(key);
    if (fact === undefined) return undefined;
    const now = clock.now();
    const certainUntil = Math.max(fact.askedAt, Math.min(toldUntil(), fact.askedAt + keptMs)) + revocationMs;
    return now < certainUntil ? fact.value : undefined;
  }

  return {
    get,
    getStale: (key) => kept.get(key)?.value,
    async find(key, load, outage) {
      const known = get(key);
      if (known !== undefined) return known;
      const asked = asking.get(key) ?? begin(key, load);
      const before = kept.get(key);
      if (outage === undefined || before === undefined || clock.now() - before.askedAt > awayMs) return asked;
      const asBefore = () => {
        // It may have been forgotten meanwhile.
        if (kept.get(key) !== before) return asked;
        outage.isAway = true;
        state.awayUntil = clock.now() + awayForMs;
        return before.value;
      };
      const answer = asked.catch((error: unknown) => {
        if (!isConnectionError(error) || kept.get(key) !== before) throw error;
        return asBefore();
      });
      return patiently(answer, clock.now() < state.awayUntil ? 0 : patienceMs, asBefore);
    },
    forget(concerns) {
      for (const [key, { value }] of kept) if (concerns(value)) kept.delete(key);
    },
  };
}
