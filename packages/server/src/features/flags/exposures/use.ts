import type { Clock } from '../../../platform/clock.ts';
import type { ScopedTelemetry } from '../../../platform/scoped-telemetry.ts';
import { TtlCache } from '../../../platform/ttl-cache.ts';
import { type FlagUse, findUse } from './store.ts';

/** How a project's flags were used recently; undefined if the telemetry store does not answer in time. */
export type ReadFlagUse = (
  place: { readonly workspace: number; readonly project: number },
  flags: readonly string[],
  environments: readonly string[],
) => Promise<readonly FlagUse[] | undefined>;

const DAY_MS = 86_400_000;
/** Long enough to see that a flag has served one variant for 30 days. */
const USE_DAYS = 31;
/** How long counts are kept. Only read for flags that were not used recently. */
const LONG_DAYS = 400;
/** A list of flags waits no longer for its usage data. */
const PATIENCE_MS = 500;
/** An open page asks repeatedly. */
const CACHE_MS = 5_000;

export function createFlagUse({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }): ReadFlagUse {
  const known = new TtlCache<string, readonly FlagUse[]>({ clock, ttlMs: CACHE_MS, max: 500 });
  /** A store that did not answer in time is not asked again at once, so that only one list waits for it. */
  let askAgainAt = 0;
  return async (place, flags, environments) => {
    if (flags.length === 0 || environments.length === 0) return [];
    const key = JSON.stringify([place, flags, environments]);
    const before = known.get(key);
    if (before !== undefined) return before;
    if (clock.now() < askAgainAt) return undefined;
    const scope = { ...place, environment: undefined };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const since = (days: number, of: readonly string[]) =>
      findUse(telemetry, scope, { flags: of, environments, fromMs: clock.now() - days * DAY_MS }, signal);
    try {
      const lately = await since(USE_DAYS, flags);
      const used = new Set(lately.map(({ flag }) => flag));
      const others = flags.filter((flag) => !used.has(flag));
      const longAgo = others.length === 0 ? [] : await since(LONG_DAYS, others);
      // The variants of that time say nothing about the present.
      const use = [...lately, ...longAgo.map((one) => ({ ...one, variants: [] }))];
      known.set(key, use);
      return use;
    } catch {
      // The store is down or slow; managing flags does not depend on it.
      askAgainAt = clock.now() + CACHE_MS;
      return undefined;
    }
  };
}
