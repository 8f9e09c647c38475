/** How long a metric is kept after it was last asked for, and how soon it has to be asked for again to be kept. */
export const idleMs = 10 * 60_000;
/** How far back a question may begin. */
export const longestReachMs = 6 * 3_600_000;
/** How much earlier than its question a metric is kept: windows end at whole steps of different lengths. */
export const marginMs = 5 * 60_000;
/** Metrics that are remembered to have been asked for once. */
const maxRemembered = 2_000;

/** A metric of a workspace. */
export interface Place {
  readonly workspace: number;
  readonly metric: string;
}

export function keyOf({ workspace, metric }: Place): string {
  return `${workspace} ${metric}`;
}

interface Known extends Place {
  askedAt: number;
  /** The longest time between the begin of a question and its asking, of the last ten minutes, and when it was asked. */
  reachMs: number;
  reachAt: number;
  /** When a question was asked that could not be answered here. */
  missedAt: number;
  /** Not kept before this time. */
  deniedUntil: number;
  kept: { fromMs: number; bytes: number; isWhole: boolean } | undefined;
}

export type Decision =
  | { readonly do: 'answer' }
  | { readonly do: 'ask the engine' }
  /** Its points since then are to be kept; the engine answers meanwhile. */
  | { readonly do: 'load'; readonly fromMs: number };

/**
 * Decides which metrics are kept. A metric is kept when it is asked for twice within ten minutes, and forgotten ten minutes after the last
 * question; earlier, the one that was asked for least recently, where the memory is full. No workspace holds more than half of
 * the memory while others hold some. What had to go is not kept again for ten minutes, so metrics that do not fit do not push each other out at
 * each question.
 *
 * It has state but no clock: every function gets the time, in milliseconds since the epoch.
 */
export function createKeeping({ maxBytes }: { readonly maxBytes: number }) {
  /** In the order of the last question. */
  const known = new Map<string, Known>();

  function noted(place: Place, now: number): Known {
    const key = keyOf(place);
    const one = known.get(key) ?? {
      ...place,
      ...{ askedAt: now, reachMs: 0, reachAt: now },
      ...{ missedAt: Number.NEGATIVE_INFINITY, deniedUntil: Number.NEGATIVE_INFINITY, kept: undefined },
    };
    known.delete(key);
    known.set(key, one);
    for (const [oldest, { kept }] of known) {
      if (known.size <= maxRemembered) break;
      if (kept === undefined) known.delete(oldest);
    }
    return one;
  }

  function all(): Known[] {
    return [...known.values()].filter(({ kept }) => kept !== undefined);
  }

  function bytesOf(places: readonly Known[]): number {
    return places.reduce((sum, { kept }) => sum + (kept?.bytes ?? 0), 0);
  }

  /** The metric that goes first: asked for least recently, among workspaces with more than half of the memory if others have some. */
  function victim(): Known | undefined {
    const kept = all();
    const isLarge = ({ workspace }: Place) => bytesOf(kept.filter((one) => one.workspace === workspace)) > maxBytes / 2;
    const isShared = new Set(kept.map(({ workspace }) => workspace)).size > 1;
    const [first] = kept;
    return (isShared ? kept.find(isLarge) : undefined) ?? first;
  }

  /** Whether points since a time are ever kept. */
  function mayKeep(fromMs: number, now: number): boolean {
    return maxBytes > 0 && now - fromMs <= longestReachMs;
  }

  return {
    mayKeep,

    /** A question about a metric has come. @param fromMs the first point that it needs */
    asked(place: Place, fromMs: number, now: number): Decision {
      if (!mayKeep(fromMs, now)) return { do: 'ask the engine' };
      const reach = now - fromMs;
      const one = noted(place, now);
      one.askedAt = now;
      if (reach >= one.reachMs || now - one.reachAt > idleMs) {
        one.reachMs = reach;
        one.reachAt = now;
      }
      if (one.kept !== undefined && fromMs >= one.kept.fromMs) {
        return { do: one.kept.isWhole ? 'answer' : 'ask the engine' };
      }
      const isSecond = now - one.missedAt <= idleMs;
      one.missedAt = now;
      if (!isSecond || now < one.deniedUntil || one.kept?.isWhole === false) return { do: 'ask the engine' };
      one.missedAt = Number.NEGATIVE_INFINITY;
      const begin = now - one.reachMs - marginMs;
      one.kept = { fromMs: begin, bytes: 0, isWhole: false };
      return { do: 'load', fromMs: begin };
    },

    /** All its points are here. */
    loaded(place: Place): void {
      const kept = known.get(keyOf(place))?.kept;
      if (kept !== undefined) kept.isWhole = true;
    },

    resized(place: Place, bytes: number): void {
      const kept = known.get(keyOf(place))?.kept;
      if (kept !== undefined) kept.bytes = bytes;
    },

    /** It is kept no longer. @param deniedMs for how long it is not kept again */
    dropped(place: Place, now: number, deniedMs: number): void {
      const one = known.get(keyOf(place));
      if (one === undefined) return;
      one.kept = undefined;
      one.deniedUntil = Math.max(one.deniedUntil, now + deniedMs);
    },

    /** Nothing is kept any longer. It may be loaded again at once. */
    droppedAll(): void {
      for (const one of all()) one.kept = undefined;
    },

    /** It is not kept for a while, also if nobody has asked for it. */
    denied(place: Place, now: number, deniedMs: number): void {
      const one = noted(place, now);
      one.deniedUntil = Math.max(one.deniedUntil, now + deniedMs);
    },

    /** What has to go since nobody asks for it. */
    idle(now: number): Place[] {
      return all().filter(({ askedAt }) => now - askedAt > idleMs);
    },

    /** What has to go next for the others to fit; undefined: they fit. */
    excess(): Place | undefined {
      return bytesOf(all()) <= maxBytes ? undefined : victim();
    },

    /** Since when the points of each kept metric are needed, where that is later than what is kept. */
    trims(now: number): (Place & { readonly fromMs: number })[] {
      return all().flatMap((one) => {
        const { workspace, metric, reachMs, kept } = one;
        const fromMs = now - reachMs - marginMs - idleMs;
        if (kept === undefined || !kept.isWhole || fromMs <= kept.fromMs) return [];
        kept.fromMs = fromMs;
        return [{ workspace, metric, fromMs }];
      });
    },

    state: () => ({ metrics: all().length, bytes: bytesOf(all()) }),
  };
}

export type Keeping = ReturnType<typeof createKeeping>;
