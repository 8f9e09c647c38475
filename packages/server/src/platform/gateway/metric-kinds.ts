import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type CatalogueMetric,
  type Compiled,
  FAILED_ASSUMPTION,
  type KnownMetrics,
  type MetricRollUps,
} from '@fanion/oql';
import type { Clock } from '../clock.ts';
import { Failure } from '../fail.ts';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../scoped-telemetry.ts';
import { TtlCache } from '../ttl-cache.ts';
import { findRollUps } from './roll-ups.ts';

const keptMs = 30_000;
/** How long histograms that are not alike are not taken to be alike again: trying costs one more statement. */
const unlikeMs = 600_000;
/** How long a metric's points may be integers that floats round, after one or a sum was found. */
const integersMs = 600_000;
/** A guess is compared with what is known before it counts, so it may be old. */
const guessedMs = 600_000;
/** Of longer texts a digest is remembered, for their size. */
const maxGuessedText = 1_000;
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

/** A query that was compiled, and how to compile it for other kinds of metrics. */
export interface Recompilable {
  readonly plan: Compiled;
  /** What `plan` was compiled for; undefined: for metrics of any kind. */
  readonly types?: KnownMetrics | undefined;
  /** The query and its parameters, by which the kinds of its metrics are remembered. */
  readonly text?: string | undefined;
  /** @returns undefined if it cannot be compiled */
  readonly compileFor: (types: KnownMetrics | undefined) => Promise<Compiled | undefined>;
}

/**
 * Runs a metrics query compiled for the known kinds of its metrics: it reads one table instead of two and needs no
 * check of temporality. The knowledge may be half a minute old. A statement that reads the series anyway checks it, and fails
 * where a new kind has arrived; beside any other, the kinds are read again. In both cases the answer is then that of
 * the general statement. So an answer has everything that was stored before its question.
 *
 * Points are also assumed to be alike. The statement itself fails where they are not; then the one for the same kinds and roll-ups
 * runs without the assumption, and for a while the assumption is not made again.
 *
 * So are integers that floats round assumed to be absent. Where there are some, the answer is computed in integers, and for a while at once.
 *
 * Long windows are answered from roll-ups, where these contain all points.
 *
 * A query that is asked again is compiled at once for the kinds of the last time, and so mostly compiled once.
 */
export function createKindsFirst({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }) {
  const kept = new TtlCache<string, readonly CatalogueMetric[]>({ clock, ttlMs: keptMs, max: maxKept });
  const unlike = new TtlCache<string, true>({ clock, ttlMs: unlikeMs, max: maxKept });
  const integers = new TtlCache<string, true>({ clock, ttlMs: integersMs, max: maxKept });
  const guesses = new TtlCache<string, KnownMetrics>({ clock, ttlMs: guessedMs, max: maxKept });
  const guessKey = ({ workspace, project, environment }: TelemetryScope, text: string) =>
    JSON.stringify([workspace, project, environment, text.length > maxGuessedText ? digestOf(text) : text]);

  /** What to compile a query for. Whether it holds is found when the query runs. */
  function guess(scope: TelemetryScope, text: string): KnownMetrics | undefined {
    return guesses.get(guessKey(scope, text));
  }

  /** Where roll-ups can be read, if the query can be answered from any. */
  async function rollUpsOf(scope: TelemetryScope, plan: Compiled, signal: AbortSignal): Promise<MetricRollUps[]> {
    if (plan.rollUps.length === 0) return [];
    // Points answer the same, if the store does not answer this.
    return findRollUps(telemetry, scope, plan, signal).catch(() => []);
  }

  async function run<T>(
    scope: TelemetryScope,
    { plan, types, text, compileFor }: Recompilable,
    signal: AbortSignal,
    ask: (plan: Compiled) => Promise<T>,
  ): Promise<T> {
    if (plan.metrics.length === 0) return ask(plan);
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
    const general = async (): Promise<T> => {
      const hasIntegers = integers.get(key) === true;
      const isFor = types === undefined && !hasIntegers;
      // Aggregates compute in integers where it is known that there are no histograms.
      const of = hasIntegers ? { metrics: (await list()) ?? [], integers: true } : undefined;
      const any = isFor ? plan : await compileFor(of);
      if (any === undefined) throw new Error('a query compiles only for metrics of some kinds');
      return ask(any);
    };
    const known = kept.get(key);
    const [kinds, rollUps] = await Promise.all([known ?? list(), rollUpsOf(scope, plan, signal)]);
    if (kinds === undefined || kinds.length === 0) return general();
    const now: KnownMetrics = {
      metrics: kinds,
      alike: unlike.get(key) === undefined,
      checked: true,
      integers: integers.get(key) === true,
      ...(rollUps.length > 0 && { rollUps }),
    };
    const forKinds = isDeepStrictEqual(types, now) ? plan : await compileFor(now);
    if (forKinds === undefined) return general();
    if (text !== undefined && forKinds !== plan) {
      // The kinds have to be those of all that a statement for any kind reads.
      if (types === undefined && isDeepStrictEqual(plan.reach, forKinds.reach)) guesses.set(guessKey(scope, text), now);
      else guesses.delete(guessKey(scope, text));
    }
    const attempt = ask(forKinds).then(
      (value) => ({ value }),
      async (error: unknown) => {
        const failed = failedAssumption(error);
        if (failed === undefined) throw error;
        if (failed === 'alike') {
          unlike.set(key, true);
          const plain = await compileFor({ ...now, alike: false });
          return plain && ask(plain).then((value) => ({ value }), unlessAssumed);
        }
        if (failed === 'integers') integers.set(key, true);
        else kept.delete(key);
        return undefined;
      },
    );
    const isCurrent = known === undefined || forKinds.checksKinds;
    const [answer, after] = await Promise.all([attempt, isCurrent ? kinds : list()]);
    return answer !== undefined && isDeepStrictEqual(kinds, after) ? answer.value : general();
  }

  return { guess, run };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** Throws failures that are not those of an assumption. */
function unlessAssumed(error: unknown): undefined {
  if (failedAssumption(error) === undefined) throw error;
}

/** What a statement was compiled for and has found not to hold; undefined for any other failure. */
function failedAssumption(error: unknown): keyof typeof FAILED_ASSUMPTION | undefined {
  const { cause } = error instanceof Failure ? error : {};
  if (!(cause instanceof Error)) return undefined;
  const { message } = cause;
  if (message.startsWith(FAILED_ASSUMPTION.alike)) return 'alike';
  if (message.startsWith(FAILED_ASSUMPTION.integers)) return 'integers';
  return message.startsWith(FAILED_ASSUMPTION.kind) ? 'kind' : undefined;
}
