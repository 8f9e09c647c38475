import { isDeepStrictEqual } from 'node:util';
import { type CatalogueMetric, type Compiled, FAILED_ASSUMPTION, type KnownMetrics } from '@fanion/oql';
import type { Clock } from '../clock.ts';
import { Failure } from '../fail.ts';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../scoped-telemetry.ts';
import { TtlCache } from '../ttl-cache.ts';

const keptMs = 30_000;
/** How long histograms that are not alike are not taken to be alike again: trying costs one more statement. */
const unlikeMs = 600_000;
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
 *
 * Histograms are also assumed to be alike. The statement itself fails where they are not; then the general one runs, and
 * for a while the assumption is not made again.
 */
export function createKindsFirst({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }) {
  const kept = new TtlCache<string, readonly CatalogueMetric[]>({ clock, ttlMs: keptMs, max: maxKept });
  const unlike = new TtlCache<string, true>({ clock, ttlMs: unlikeMs, max: maxKept });

  /** @param compileFor the same query for what is known of its metrics; undefined: it does not compile */
  return async function runKindsFirst<T>(
    scope: TelemetryScope,
    plan: Compiled,
    compileFor: (types: KnownMetrics) => Promise<Compiled | undefined>,
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
    if (kinds === undefined || kinds.length === 0) return run(plan);
    const forKinds = await compileFor({ metrics: kinds, alike: unlike.get(key) === undefined });
    if (forKinds === undefined) return run(plan);
    const assumed = run(forKinds).then(
      (value) => ({ value }),
      (error: unknown) => {
        if (!isFailedAssumption(error)) throw error;
        unlike.set(key, true);
        return undefined;
      },
    );
    const [answer, now] = await Promise.all([assumed, listed]);
    return answer !== undefined && isDeepStrictEqual(kinds, now) ? answer.value : run(plan);
  };
}

/** Whether a statement has found that what it was compiled for does not hold. */
function isFailedAssumption(error: unknown): boolean {
  const { cause } = error instanceof Failure ? error : {};
  return cause instanceof Error && cause.message.startsWith(FAILED_ASSUMPTION);
}
