import { isDeepStrictEqual } from 'node:util';
import type { CatalogueMetric, Compiled } from '@fanion/oql';
import type { Clock } from '../clock.ts';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../scoped-telemetry.ts';
import { TtlCache } from '../ttl-cache.ts';

const keptMs = 30_000;
const maxKept = 2_000;
const maxMetrics = 5_000;

/**
 * Metrics with each kind and temporality that they had on the days of a window. For named ones also whether they are
 * the buckets of classic histograms, which needs the label keys.
 * @param names undefined: all metrics, the first 5,000 by name
 */
export function listMetricKinds(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  {
    fromNs,
    toNs,
    names,
  }: { readonly fromNs: bigint; readonly toNs: bigint; readonly names: readonly string[] | undefined },
  signal: AbortSignal,
): Promise<CatalogueMetric[]> {
  const classic = names === undefined ? '' : ", max(mapContains(attributes, 'le')) = 1 AS classic";
  const day = (name: string) => `toDate(fromUnixTimestamp64Nano({${name}:Int64}, 'UTC'))`;
  return telemetry.rows(
    scope,
    `SELECT metric AS name, toString(metric_series.kind) AS kind, toString(metric_series.temporality) AS temporality${classic} FROM metric_series
     WHERE ${inScope(scope)} AND day >= ${day('from')} AND day <= ${day('to')} ${names === undefined ? '' : 'AND metric IN {names:Array(String)}'}
     GROUP BY name, kind, temporality ORDER BY name, kind, temporality LIMIT ${maxMetrics}`,
    { from: String(fromNs), to: String(toNs), names },
    signal,
  );
}

/**
 * Runs a metrics query compiled for the known kinds of its metrics: it reads one table instead of two and needs no
 * check of temporality. The knowledge may be half a minute old, so the kinds are read again while the query runs. If a
 * new kind has arrived, the answer is discarded and the general statement runs. So an answer has everything that was
 * stored before its question.
 */
export function createKindsFirst({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }) {
  const kept = new TtlCache<string, readonly CatalogueMetric[]>({ clock, ttlMs: keptMs, max: maxKept });

  /** @param compileFor the same query for known kinds; undefined: it does not compile */
  return async function runKindsFirst<T>(
    scope: TelemetryScope,
    plan: Compiled,
    compileFor: (metrics: readonly CatalogueMetric[]) => Promise<Compiled | undefined>,
    signal: AbortSignal,
    run: (plan: Compiled) => Promise<T>,
  ): Promise<T> {
    if (plan.metrics.length === 0) return run(plan);
    const asked = { ...plan.reach, names: plan.metrics };
    const dayNs = 86_400_000_000_000n;
    const key = JSON.stringify([scope, String(asked.fromNs / dayNs), String(asked.toNs / dayNs), asked.names]);
    const known = kept.get(key);
    // If the store does not answer, the kinds are unknown.
    const listed = listMetricKinds(telemetry, scope, asked, signal).then(
      (kinds) => {
        kept.set(key, kinds);
        return kinds;
      },
      () => undefined,
    );
    const kinds = known ?? (await listed);
    const forKinds = kinds === undefined || kinds.length === 0 ? undefined : await compileFor(kinds);
    if (forKinds === undefined) return run(plan);
    const [answer, now] = await Promise.all([run(forKinds), listed]);
    return isDeepStrictEqual(kinds, now) ? answer : run(plan);
  };
}
