/** How long a metric is kept after it was last asked for, and how soon it has to be asked for again to be kept. */
export const idleMs = 10 * 60_000;
/** How far back a question may begin. */
export const longestReachMs = 6 * 3_600_000;
/** How much earlier than its question a metric is kept: windows end at whole steps of different lengths. */
export const marginMs = 5 * 60_000;

/** A metric of a workspace. */
export interface Place {
  readonly workspace: number;
  readonly metric: string;
}

export function keyOf({ workspace, metric }: Place): string {
  return `${workspace} ${metric}`;
}

interface Known {
  readonly place: Place;
  askedAt: number;
  /** When a question was asked that could not be answered here. */
  missedAt: number;
  /** Not kept before this time. */
  deniedUntil: number;
  /** The longest time between the begin of a question and its asking. */
  reachMs: number;
  kept: { readonly load: number; readonly reachMs: number; isWhole: boolean } | undefined;
}

/** `load`: its points of this time until now are to be kept; the engine answers meanwhile. */
export type Decision =
  | { readonly do: 'answer' | 'ask the engine' }
  | { readonly do: 'load'; readonly load: number; readonly reachMs: number };

/**
 * Decides which metrics are kept. A metric is kept when it is asked for twice within ten minutes, and forgotten ten minutes after the last
 * question. What had to go is not kept again for ten minutes, so metrics that do not fit do not push each other out at each question.
 *
 * It has state but no clock: every function gets the time, in milliseconds since the epoch.
 */
export function createKeeping() {
  const known = new Map<string, Known>();
  let loads = 0;

  function noted(place: Place, now: number): Known {
    const [missedAt, deniedUntil] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const one = known.get(keyOf(place)) ?? { place, askedAt: now, missedAt, deniedUntil, reachMs: 0, kept: undefined };
    known.set(keyOf(place), one);
    return one;
  }

  return {
    /** A question about a metric has come. @param fromMs the first point that it needs */
    asked(place: Place, fromMs: number, now: number): Decision {
      const one = noted(place, now);
      const reachMs = now - fromMs;
      one.askedAt = now;
      one.reachMs = Math.max(one.reachMs, reachMs);
      if (one.kept !== undefined && reachMs <= one.kept.reachMs)
        return { do: one.kept.isWhole ? 'answer' : 'ask the engine' };
      const isSecond = now - one.missedAt <= idleMs;
      one.missedAt = now;
      if (!isSecond || now < one.deniedUntil || one.kept?.isWhole === false) return { do: 'ask the engine' };
      one.missedAt = Number.NEGATIVE_INFINITY;
      one.kept = { load: loads++, reachMs: one.reachMs + marginMs, isWhole: false };
      return { do: 'load', ...one.kept };
    },

    /** Whether all its points and series are here. @returns the number of its load; undefined if it is not kept */
    settled(place: Place, isWhole: boolean): number | undefined {
      const kept = known.get(keyOf(place))?.kept;
      if (kept !== undefined) kept.isWhole = isWhole;
      return kept?.load;
    },

    /** It is kept no longer. @param deniedMs for how long it is not kept again, also if nobody has asked for it */
    dropped(place: Place, now: number, deniedMs: number): void {
      const one = noted(place, now);
      one.kept = undefined;
      one.deniedUntil = Math.max(one.deniedUntil, now + deniedMs);
    },

    /** Metrics that are kept or loading. */
    places: () => [...known.values()].flatMap(({ place, kept }) => (kept === undefined ? [] : [place])),

    /** Forgets what nobody has asked for in ten minutes. */
    tidy(now: number): void {
      for (const [key, { askedAt, deniedUntil }] of known)
        if (now - askedAt > idleMs && now >= deniedUntil) known.delete(key);
    },
  };
}

export type Keeping = ReturnType<typeof createKeeping>;
