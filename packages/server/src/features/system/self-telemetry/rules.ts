import type { AnyRoute } from '@fanion/contract';

/** A request that the server has answered. */
export interface Answered {
  readonly requestId: string;
  readonly route: Pick<AnyRoute, 'id' | 'method' | 'prefix' | 'path' | 'auth' | 'media'>;
  readonly status: number;
  readonly durationMs: number;
}

/** Requests of at least this duration are kept before others. */
const slowMs = 1_000;

export function isNotable({ status, durationMs }: Pick<Answered, 'status' | 'durationMs'>): boolean {
  return status >= 500 || durationMs >= slowMs;
}

const probes: readonly string[] = ['platform.health', 'platform.ready', 'platform.metrics'];

/**
 * Of probes and flag evaluations, which are frequent and alike, there are only metrics; the duration of a stream says
 * how long its reader stayed.
 */
export function isTraced({ id, auth, path, media }: Answered['route']): boolean {
  const isEvaluation = auth === 'sdk' || path.startsWith('/ofrep/');
  return !isEvaluation && media !== 'text/event-stream' && !probes.includes(id);
}

/** Items of one interval, by what they are. Together they never exceed the rate, so that none is lost to another one. */
export function sharesOf(itemsPerSecond: number, everyMs: number): { points: number; spans: number; logs: number } {
  const items = Math.floor((itemsPerSecond * everyMs) / 1_000);
  const points = Math.floor(items * 0.6);
  const spans = Math.floor(items * 0.25);
  return { points, spans, logs: items - points - spans };
}

/**
 * Keeps at most `most` items: notable ones first, of others an even sample. Holds at most twice as many in memory.
 * @template Item what is kept, made only for items that are kept
 */
export interface Sample<Item> {
  add(make: () => Item, notable: 'notable' | 'ordinary'): void;
  /**
   * Empties it. `dropped`: notable items beyond the limit; `sampled`: other items that were not chosen; `share`: the part
   * of the ordinary items that was chosen, above 0 and at most 1.
   */
  take(): {
    readonly notable: readonly Item[];
    readonly ordinary: readonly Item[];
    readonly dropped: number;
    readonly sampled: number;
    readonly share: number;
  };
}

/** @param random in [0, 1) */
export function createSample<Item>(most: number, random: () => number): Sample<Item> {
  let notable: Item[] = [];
  let ordinary: Item[] = [];
  let seen = 0;
  let dropped = 0;
  return {
    add(make, kind) {
      if (kind === 'notable') {
        if (notable.length < most) notable.push(make());
        else dropped++;
        return;
      }
      seen++;
      if (ordinary.length < most) ordinary.push(make());
      else {
        // Reservoir sampling (Vitter's algorithm R): each of the items seen so far is kept with the same probability.
        const at = Math.floor(random() * seen);
        if (at < most) ordinary[at] = make();
      }
    },
    take() {
      const chosen = ordinary.slice(0, most - notable.length);
      const share = chosen.length === 0 ? 1 : chosen.length / seen;
      const taken = { notable, ordinary: chosen, dropped, sampled: seen - chosen.length, share };
      notable = [];
      ordinary = [];
      seen = 0;
      dropped = 0;
      return taken;
    },
  };
}
