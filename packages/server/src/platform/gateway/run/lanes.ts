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
  const lanes = Object.fromEntries(Object.entries(limits).map(([lane, of]) => [lane, createLane(of)])) as Record<
    Lane,
    ReturnType<typeof createLane>
  >;
  return {
    enter: (lane, workspace, signal) => lanes[lane].enter(workspace, signal),
    state: (lane) => lanes[lane].state(),
    begun: () => {
      const each = Object.entries(lanes).map(([lane, { begun }]) => [lane, begun()]);
      return Object.fromEntries(each) as Record<Lane, number>;
    },
  };
}

/** One lane. */
export function createLane(limits: LaneLimits) {
  const runningOf = new Map<number, number>();
  /** Waiting queries by workspace. A workspace that gets a slot moves to the end. */
  const waiting = new Map<number, Waiting[]>();
  let running = 0;
  let refused = 0;
  let begun = 0;

  const of = (workspace: number) => runningOf.get(workspace) ?? 0;
  const mayRun = (workspace: number) => running < limits.running && of(workspace) < limits.perWorkspace;

  function begin(workspace: number): () => void {
    running++;
    begun++;
    runningOf.set(workspace, of(workspace) + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      running--;
      if (of(workspace) === 1) runningOf.delete(workspace);
      else runningOf.set(workspace, of(workspace) - 1);
      startNext();
    };
  }

  function startNext(): void {
    let next: number | undefined;
    for (const workspace of waiting.keys())
      if (mayRun(workspace) && (next === undefined || of(workspace) < of(next))) next = workspace;
    if (next === undefined) return;
    const [first, ...others] = waiting.get(next) ?? [];
    waiting.delete(next);
    if (others.length > 0) waiting.set(next, others);
    first?.start();
  }

  function remove(workspace: number, entry: Waiting): void {
    const others = (waiting.get(workspace) ?? []).filter((one) => one !== entry);
    if (others.length > 0) waiting.set(workspace, others);
    else waiting.delete(workspace);
  }

  function refuse(workspace: number) {
    refused++;
    return fail('QUERY_QUEUE_FULL', { running: of(workspace) }, { retryAfterSeconds: limits.retryAfterSeconds });
  }

  function wait(workspace: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
      };
      const entry: Waiting = {
        start() {
          settle();
          resolve(begin(workspace));
        },
      };
      const leave = () => {
        settle();
        remove(workspace, entry);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        settle();
        remove(workspace, entry);
        reject(refuse(workspace));
      }, limits.waitMs);
      // All queries of a request have one signal; the limits of the lanes say how many of them may wait.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', leave, { once: true });
      waiting.set(workspace, [...(waiting.get(workspace) ?? []), entry]);
    });
  }

  return {
    async enter(workspace: number, signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted();
      if (mayRun(workspace)) return begin(workspace);
      if ((waiting.get(workspace)?.length ?? 0) >= limits.waiting) throw refuse(workspace);
      return wait(workspace, signal);
    },
    state(): LaneState {
      let count = 0;
      for (const entries of waiting.values()) count += entries.length;
      return { running, waiting: count, refused };
    },
    begun: () => begun,
  };
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
