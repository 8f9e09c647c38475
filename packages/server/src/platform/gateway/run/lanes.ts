import { setMaxListeners } from 'node:events';
import { fail } from '../../fail.ts';

/**
 * The kind of caller: a person, a dashboard, an alert rule or SLO, a background job. `lookup` is for what the server
 * itself reads before a query (names of fields), a few milliseconds each. The lane
 * `dashboard` is for panels; each request for panels asks a few of them at once, so that a dashboard is one guest of many.
 */
export type Lane = 'interactive' | 'dashboard' | 'alert' | 'background' | 'lookup';

export interface LaneLimits {
  /** Queries of the lane that run at the same time on this server. */
  readonly running: number;
  /** Of these, the most of one workspace. */
  readonly perWorkspace: number;
  /** Queries of one workspace that may wait. */
  readonly waiting: number;
  /** The longest wait of a query, in milliseconds. */
  readonly waitMs: number;
  /** The retry delay of a rejected client, in seconds. */
  readonly retryAfterSeconds: number;
}

export interface LaneState {
  readonly running: number;
  readonly waiting: number;
  /** Queries rejected since the start. */
  readonly refused: number;
}

export interface Lanes {
  /** Waits for a slot. The returned function frees it; calling it twice is harmless. Throws `QUERY_QUEUE_FULL`. */
  enter(lane: Lane, workspace: number, signal: AbortSignal): Promise<() => void>;
  state(lane: Lane): LaneState;
  /** Slots that were given since the start. */
  begun(): Readonly<Record<Lane, number>>;
}

interface Waiting {
  readonly start: () => void;
}

/**
 * Limits concurrent queries by lane. Each lane has its own share of the server's queries, so a flood in one never
 * delays another, and no workspace can take a whole lane. A free slot goes to the waiting workspace that runs the
 * fewest queries, and in turns among equals.
 */
export function createLanes(limits: Readonly<Record<Lane, LaneLimits>>): Lanes {
  const lanes = Object.fromEntries(Object.entries(limits).map(([lane, of]) => [lane, new LaneQueue(of)])) as Record<
    Lane,
    LaneQueue
  >;
  return {
    enter: (lane, workspace, signal) => lanes[lane].enter(workspace, signal),
    state: (lane) => lanes[lane].state(),
    begun: () => {
      const each = Object.entries(lanes).map(([lane, queue]) => [lane, queue.begun()]);
      return Object.fromEntries(each) as Record<Lane, number>;
    },
  };
}

/** One lane. */
export class LaneQueue {
  readonly #limits: LaneLimits;
  readonly #runningOf = new Map<number, number>();
  /** Waiting queries by workspace. A workspace that gets a slot moves to the end. */
  readonly #waiting = new Map<number, Waiting[]>();
  #running = 0;
  #refused = 0;
  #begun = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  async enter(workspace: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#mayRun(workspace)) return this.#begin(workspace);
    if ((this.#waiting.get(workspace)?.length ?? 0) >= this.#limits.waiting) throw this.#refuse(workspace);
    return this.#wait(workspace, signal);
  }

  state(): LaneState {
    let count = 0;
    for (const entries of this.#waiting.values()) count += entries.length;
    return { running: this.#running, waiting: count, refused: this.#refused };
  }

  begun() {
    return this.#begun;
  }

  #of(workspace: number) {
    return this.#runningOf.get(workspace) ?? 0;
  }

  #mayRun(workspace: number) {
    return this.#running < this.#limits.running && this.#of(workspace) < this.#limits.perWorkspace;
  }

  #begin(workspace: number): () => void {
    this.#running++;
    this.#begun++;
    this.#runningOf.set(workspace, this.#of(workspace) + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#running--;
      if (this.#of(workspace) === 1) this.#runningOf.delete(workspace);
      else this.#runningOf.set(workspace, this.#of(workspace) - 1);
      this.#startNext();
    };
  }

  #startNext(): void {
    let next: number | undefined;
    for (const workspace of this.#waiting.keys())
      if (this.#mayRun(workspace) && (next === undefined || this.#of(workspace) < this.#of(next))) next = workspace;
    if (next === undefined) return;
    const [first, ...others] = this.#waiting.get(next) ?? [];
    this.#waiting.delete(next);
    if (others.length > 0) this.#waiting.set(next, others);
    first?.start();
  }

  #remove(workspace: number, entry: Waiting): void {
    const others = (this.#waiting.get(workspace) ?? []).filter((one) => one !== entry);
    if (others.length > 0) this.#waiting.set(workspace, others);
    else this.#waiting.delete(workspace);
  }

  #refuse(workspace: number) {
    this.#refused++;
    const { retryAfterSeconds } = this.#limits;
    return fail('QUERY_QUEUE_FULL', { running: this.#of(workspace) }, { retryAfterSeconds });
  }

  #wait(workspace: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
      };
      const entry: Waiting = {
        start: () => {
          settle();
          resolve(this.#begin(workspace));
        },
      };
      const leave = () => {
        settle();
        this.#remove(workspace, entry);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        settle();
        this.#remove(workspace, entry);
        reject(this.#refuse(workspace));
      }, this.#limits.waitMs);
      // All queries of a request have one signal; the limits of the lanes say how many of them may wait.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.set(workspace, [...(this.#waiting.get(workspace) ?? []), entry]);
    });
  }
}

/** Lanes whose share of the server's queries is configurable. */
export const sharedLanes = ['interactive', 'dashboard', 'alert', 'background'] as const;
export type LaneShares = Readonly<Record<(typeof sharedLanes)[number], number>>;

/**
 * The limits of each lane.
 * @param shares queries that run at the same time, by lane
 * @param perWorkspace the most interactive queries of one workspace
 */
export function laneLimits(shares: LaneShares, perWorkspace: number): Readonly<Record<Lane, LaneLimits>> {
  /** One slot stays free for other workspaces. */
  const most = (running: number) => Math.max(1, running - 1);
  const { interactive, dashboard, alert, background } = shares;
  return {
    interactive: {
      ...{ running: interactive, perWorkspace: Math.min(perWorkspace, interactive) },
      ...{ waiting: 32, waitMs: 5_000, retryAfterSeconds: 1 },
    },
    // All panels of a page load at once.
    dashboard: {
      ...{ running: dashboard, perWorkspace: most(dashboard) },
      ...{ waiting: 100, waitMs: 15_000, retryAfterSeconds: 2 },
    },
    // A late answer is better than none, up to a minute.
    alert: {
      ...{ running: alert, perWorkspace: most(alert) },
      ...{ waiting: 1_000, waitMs: 60_000, retryAfterSeconds: 5 },
    },
    background: {
      ...{ running: background, perWorkspace: most(background) },
      ...{ waiting: 100, waitMs: 60_000, retryAfterSeconds: 30 },
    },
    lookup: { running: 3, perWorkspace: 2, waiting: 16, waitMs: 2_000, retryAfterSeconds: 1 },
  };
}

/** Number of connections to the store for all lanes. */
export function connectionsOf(limits: Readonly<Record<Lane, LaneLimits>>): number {
  return Object.values(limits).reduce((sum, { running }) => sum + running, 0);
}
