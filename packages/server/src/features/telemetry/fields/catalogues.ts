import type { CatalogueMetric, FieldCatalogue } from '@fanion/oql';
import type { Clock } from '../../../platform/clock.ts';
import { listMetricKinds } from '../../../platform/gateway/index.ts';
import type { ScopedTelemetry, TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import { TtlCache } from '../../../platform/ttl-cache.ts';
import { catalogueOf } from './rules.ts';
import { listAttributeTypes, maxFields } from './store.ts';

const keptMs = 30_000;
/** Each is at most a few thousand names. */
const maxKept = 200;
const dayNs = 86_400_000_000_000n;
/** The longest wait for a catalogue. If the store is slower, the query gets no warnings. */
const patienceMs = 2_000;

/** Known attributes, for the OQL compiler. */
export interface FieldCatalogues {
  /**
   * Attributes seen since the day of `fromNs` began, or for a day at least. For warnings only: up to half a minute old,
   * unless `fresh`. Undefined if the store does not answer.
   */
  seen(scope: TelemetryScope, fromNs: bigint, fresh: boolean): Promise<FieldCatalogue | undefined>;
  /** Whether `seen` answers without asking the store, unless it is to be fresh. */
  isKept(scope: TelemetryScope, fromNs: bigint): boolean;
  /**
   * The named metrics with each kind that they had since the day of `fromNs` began, or for a day at least. If one of
   * them was never seen, all metrics. Up to half a minute old. Undefined if the store does not answer.
   */
  metricsOf(
    scope: TelemetryScope,
    names: readonly string[],
    fromNs: bigint,
  ): Promise<readonly CatalogueMetric[] | undefined>;
  /** Keeps nothing of before: telemetry was removed. */
  forget(): void;
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
  /** The start of the day of a moment, at least one day ago. */
  const since = (fromNs: bigint) => {
    const nowNs = BigInt(clock.now()) * 1_000_000n;
    const least = fromNs < nowNs - dayNs ? fromNs : nowNs - dayNs;
    return { fromNs: least - (least % dayNs), toNs: nowNs + dayNs };
  };
  const keyOf = (scope: TelemetryScope, window: Window) =>
    JSON.stringify([scope.workspace, scope.project, scope.environment, String(window.fromNs)]);
  return {
    forget() {
      kept.clear();
      metrics.clear();
    },
    isKept: (scope, fromNs) => kept.get(keyOf(scope, since(fromNs))) !== undefined,
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
        // A missing warning must not fail the query; the query itself reports problems of the store.
        return undefined;
      }
    },
    async seen(scope, fromNs, fresh) {
      const window = since(fromNs);
      const key = keyOf(scope, window);
      const known = kept.get(key);
      if (known && !fresh) return known;
      // Shared by concurrent callers, so the first one must not abort it.
      const asked = listAttributeTypes(telemetry, scope, window, AbortSignal.timeout(patienceMs))
        .then((rows) => catalogueOf(rows, maxFields))
        .catch(() => {
          kept.deleteWhere((entry) => entry === asked);
          return undefined;
        });
      kept.set(key, asked);
      return asked;
    },
  };
}
