import type { CatalogueMetric, FieldCatalogue } from '@fanion/oql';
import type { Clock } from '../../../platform/clock.ts';
import { listMetricKinds } from '../../../platform/gateway/index.ts';
import type { ScopedTelemetry, TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { TtlCache } from '../../../platform/ttl-cache.ts';
import { catalogueOf } from './rules.ts';
import { listAttributeTypes } from './store.ts';

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
  /**
   * The named metrics, of each kind that they have had since the day of `fromNs` began, or for a day at least; where one of
   * them was never seen, all that there are. Up to half a minute old. Undefined where the store cannot tell.
   */
  metricsOf(
    scope: TelemetryScope,
    names: readonly string[],
    fromNs: bigint,
  ): Promise<readonly CatalogueMetric[] | undefined>;
}

export function createFieldCatalogues({
  telemetry,
  clock,
}: {
  telemetry: ScopedTelemetry;
  clock: Clock;
}): FieldCatalogues {
  const kept = new TtlCache<string, Promise<FieldCatalogue | undefined>>({ clock, ttlMs: keptMs, max: maxKept });
  const metrics = new TtlCache<string, readonly CatalogueMetric[]>({ clock, ttlMs: keptMs, max: maxKept * 10 });
  /** Whole days, from which a moment is seen; at least the last one. */
  const since = (fromNs: bigint) => {
    const nowNs = BigInt(clock.now()) * 1_000_000n;
    const least = fromNs < nowNs - dayNs ? fromNs : nowNs - dayNs;
    return { fromNs: least - (least % dayNs), toNs: nowNs + dayNs };
  };
  return {
    async metricsOf(scope, names, fromNs) {
      const window = since(fromNs);
      const key = JSON.stringify([scope.workspace, scope.project, scope.environment, String(window.fromNs), names]);
      const known = metrics.get(key);
      if (known) return known;
      const list = (wanted?: readonly string[]) =>
        listMetricKinds(telemetry, scope, { ...window, names: wanted }, AbortSignal.timeout(patienceMs));
      try {
        const found = await list(names);
        if (!names.every((name) => found.some((metric) => metric.name === name))) return [...found, ...(await list())];
        metrics.set(key, found);
        return found;
      } catch {
        // A warning is not worth an error; the query itself will tell what is wrong with the store.
        return undefined;
      }
    },
    async seen(scope, fromNs, fresh) {
      const window = since(fromNs);
      const key = JSON.stringify([scope.workspace, scope.project, scope.environment, String(window.fromNs)]);
      const known = kept.get(key);
      if (known && !fresh) return known;
      // Shared by whoever asks meanwhile, so it is not the first one's to abort.
      const asked = listAttributeTypes(telemetry, scope, window, AbortSignal.timeout(patienceMs))
        .then(catalogueOf)
        .catch(() => {
          kept.deleteWhere((entry) => entry === asked);
          return undefined;
        });
      kept.set(key, asked);
      return asked;
    },
  };
}
