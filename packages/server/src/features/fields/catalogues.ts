import type { FieldCatalogue } from '@fanion/oql';
import type { Clock } from '../../platform/clock.ts';
import type { ScopedTelemetry, TelemetryScope } from '../../platform/scoped-telemetry.ts';
import type { Window } from '../../platform/time-window.ts';
import { TtlCache } from '../../platform/ttl-cache.ts';
import { catalogueOf } from './rules.ts';
import { countInserts, listAttributeTypes } from './store.ts';

const keptMs = 30_000;
/** Each is at most a few thousand names. */
const maxKept = 200;
const dayNs = 86_400_000_000_000n;
/** What a warning may cost: a store that is slow to tell has no say. */
const patienceMs = 2_000;

/** What attributes there are, for the compiler of OQL. */
export interface FieldCatalogues {
  /**
   * Attributes seen since the day of `fromNs` began, or for a day at least. For warnings only: up to half a minute old,
   * unless it is to be `fresh`. Undefined where the store cannot tell at the moment.
   */
  seen(scope: TelemetryScope, fromNs: bigint, fresh: boolean): Promise<FieldCatalogue | undefined>;
  /** All types that the named attributes have had in the window, asked of the store now. */
  typesOf(
    scope: TelemetryScope,
    names: readonly string[],
    window: Window,
    signal: AbortSignal,
  ): Promise<FieldCatalogue>;
  /** Whether all rows that can be seen are in the roll-up: it comes after them, at the end of the same insert. */
  isSettled(scope: TelemetryScope, signal: AbortSignal): Promise<boolean>;
}

export function createFieldCatalogues({
  telemetry,
  clock,
}: {
  telemetry: ScopedTelemetry;
  clock: Clock;
}): FieldCatalogues {
  const kept = new TtlCache<string, Promise<FieldCatalogue | undefined>>({ clock, ttlMs: keptMs, max: maxKept });
  return {
    async seen(scope, fromNs, fresh) {
      const nowNs = BigInt(clock.now()) * 1_000_000n;
      const least = fromNs < nowNs - dayNs ? fromNs : nowNs - dayNs;
      const window = { fromNs: least - (least % dayNs), toNs: nowNs + dayNs };
      const key = JSON.stringify([scope.workspace, scope.project, scope.environment, String(window.fromNs)]);
      const known = kept.get(key);
      if (known && !fresh) return known;
      // Shared by whoever asks meanwhile, so it is not the first one's to abort.
      const asked = listAttributeTypes(telemetry, scope, { window, names: undefined }, AbortSignal.timeout(patienceMs))
        .then(catalogueOf)
        .catch(() => {
          kept.deleteWhere((entry) => entry === asked);
          return undefined;
        });
      kept.set(key, asked);
      return asked;
    },
    async typesOf(scope, names, window, signal) {
      return catalogueOf(await listAttributeTypes(telemetry, scope, { window, names }, signal));
    },
    isSettled: async (scope, signal) => (await countInserts(telemetry, scope, signal)) === 0,
  };
}
