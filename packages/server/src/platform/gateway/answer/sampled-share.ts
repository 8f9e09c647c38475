import type { Compiled } from '@fanion/oql';
import type { Clock } from '../../clock.ts';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../scoped-telemetry.ts';
import { TtlCache } from '../../ttl-cache.ts';
import { boundParameters } from '../plan/bound-parameters.ts';
import { sampledShareOf } from './completeness-rules.ts';

/** Counting takes no longer than this: the answer is worth more than its share. */
const patienceSeconds = 5;
/** How long a place that had sampled spans is taken to have them. */
const sampledMs = 600_000;
const maxKept = 1_000;
const dayNs = 86_400_000_000_000n;

/**
 * The share of what an answer counts that is stored; see `Completeness.sampled_share`.
 * @returns null if that is not known in time
 */
export type SampledShare = (
  scope: TelemetryScope,
  plan: Pick<Compiled, 'sampled' | 'settings' | 'reach'>,
  signal: AbortSignal,
) => Promise<number | null>;

/**
 * Counts rows and what they stand for only in places that have sampled spans. Others pay for a look into an index, each time: the newest spans may be
 * the first sampled ones.
 */
export function createSampledShare({
  telemetry,
  clock,
  maxSeconds = patienceSeconds,
}: {
  readonly telemetry: ScopedTelemetry;
  readonly clock: Clock;
  /** Of each of its statements. */
  readonly maxSeconds?: number;
}): SampledShare {
  const sampled = new TtlCache<string, true>({ clock, ttlMs: sampledMs, max: maxKept });
  const looks = new Map<string, Promise<boolean>>();

  /** Whether a place has sampled spans since the start of a day. */
  function hasSampled(scope: TelemetryScope, dayStartNs: bigint): Promise<boolean> {
    const key = JSON.stringify([scope.workspace, scope.project, scope.environment, String(dayStartNs)]);
    if (sampled.get(key)) return Promise.resolve(true);
    const current = looks.get(key);
    if (current) return current;
    // Shared by the panels of a dashboard that ask together, so the first one must not abort it.
    const look = findSampled(telemetry, scope, dayStartNs, AbortSignal.timeout(maxSeconds * 1_000))
      .then((found) => {
        if (found) sampled.set(key, true);
        return found;
      })
      .finally(() => looks.delete(key));
    looks.set(key, look);
    return look;
  }

  return async (scope, { sampled, settings, reach }, signal) => {
    if (sampled === undefined) return 1;
    try {
      const { fromNs } = reach;
      const dayStartNs = fromNs < 0n ? 0n : fromNs - (fromNs % dayNs);
      if (!sampled.bySample && !(await hasSampled(scope, dayStartNs))) return 1;
      const params = boundParameters(sampled.params);
      const more = { settings, limits: { maxSeconds } };
      const [row] = await telemetry.rows<Counted>(scope, sampled.sql, params, signal, more);
      return sampledShareOf({ rows: Number(row?.rows ?? 0), represented: Number(row?.represented ?? 0) });
    } catch {
      signal.throwIfAborted();
      return null;
    }
  };
}

interface Counted {
  readonly rows: number | string;
  readonly represented: number | string;
}

async function findSampled(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  fromNs: bigint,
  signal: AbortSignal,
): Promise<boolean> {
  const from = `fromUnixTimestamp64Nano({from:Int64}, 'UTC')`;
  const rows = await telemetry.rows(
    scope,
    `SELECT 1 FROM spans WHERE ${inScope(scope)} AND toStartOfFiveMinutes(time) >= ${from} AND weight > 1 LIMIT 1`,
    { from: String(fromNs) },
    signal,
  );
  return rows.length > 0;
}
