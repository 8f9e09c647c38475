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
 * check of temporality. The knowledge may be half a minute old. A statement that reads the series anyway checks it, and fails
 * where a new kind has arrived; beside any other, the kinds are read again. In both cases the answer is then that of
 * the general statement. So an answer has everything that was stored before its question.
 *
 * Points are also assumed to be alike. The statement itself fails where they are not; then the general one runs, and
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
    const list = async (): Promise<readonly CatalogueMetric[] | undefined> => {
      try {
        const kinds = await listMetricKinds(telemetry, scope, asked, signal);
        kept.set(key, kinds);
        return kinds;
      } catch {
        // If the store does not answer, the kinds are unknown.
        return undefined;
      }
    };
    const known = kept.get(key);
    const kinds = known ?? (await list());
    if (kinds === undefined || kinds.length === 0) return run(plan);
    const forKinds = await compileFor({ metrics: kinds, alike: unlike.get(key) === undefined, checked: true });
    if (forKinds === undefined) return run(plan);
    const attempt = run(forKinds).then(
      (value) => ({ value }),
      (error: unknown) => {
        const failed = failedAssumption(error);
        if (failed === undefined) throw error;
        if (failed === 'alike') unlike.set(key, true);
        else kept.delete(key);
        return undefined;
      },
    );
    const isCurrent = known === undefined || forKinds.checksKinds;
    const [answer, now] = await Promise.all([attempt, isCurrent ? kinds : list()]);
    return answer !== undefined && isDeepStrictEqual(kinds, now) ? answer.value : run(plan);
  };
}

/** What a statement was compiled for and has found not to hold; undefined for any other failure. */
function failedAssumption(error: unknown): keyof typeof FAILED_ASSUMPTION | undefined {
  const { cause } = error instanceof Failure ? error : {};
  if (!(cause instanceof Error)) return undefined;
  const { message } = cause;
  if (message.startsWith(FAILED_ASSUMPTION.alike)) return 'alike';
  return message.startsWith(FAILED_ASSUMPTION.kind) ? 'kind' : undefined;
}
