import type { Gateway } from '../../../platform/gateway/index.ts';
import { inScope, inWindow, type TelemetryScope, windowParameters } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';

const lane = 'interactive';
const maxCrossedShown = 20;

export interface Seen {
  readonly scope: TelemetryScope & { readonly project: number; readonly environment: string };
  readonly flag: string;
  readonly window: Window;
  readonly signal: AbortSignal;
}

export interface Evaluations {
  readonly time: number;
  readonly variant: string;
  readonly reason: string;
  readonly version: string;
  readonly n: number;
}

/** Evaluations by step, variant, reason and version; what a client has reported counts in place of what the server counted. */
export async function countEvaluations(
  gateway: Gateway,
  { scope, flag, window, signal }: Seen,
  stepMs: number,
): Promise<readonly Evaluations[]> {
  const oql = `flags ${JSON.stringify(flag)} | stats n=count() by variant, reason, version`;
  const { rows } = await gateway.relate<Evaluations, 'counted'>(
    scope,
    { counted: { oql, window, bucketNs: BigInt(stepMs) * 1_000_000n } },
    ({ counted }) => ({
      sql: `SELECT toFloat64(toUnixTimestamp64Milli(toDateTime64(t, 3, 'UTC'))) AS time, ifNull(k1, '') AS variant, ifNull(k2, '') AS reason, ifNull(k3, '') AS version,
        toFloat64(v1) AS n FROM (${counted.sql}) ORDER BY time, variant, reason, version LIMIT 20000`,
    }),
    { lane, signal },
  );
  return rows;
}

export interface VersionUse {
  readonly version: string;
  readonly n: number;
  readonly first: number;
  readonly last: number;
}

export async function listVersions(
  gateway: Gateway,
  { scope, flag, window, signal }: Seen,
): Promise<readonly VersionUse[]> {
  const oql = `flags ${JSON.stringify(flag)} | stats n=count(), first=min(time), last=max(time) by version`;
  const ms = (column: string) => `toFloat64(toUnixTimestamp64Milli(toDateTime64(assumeNotNull(${column}), 3, 'UTC')))`;
  const { rows } = await gateway.relate<VersionUse, 'counted'>(
    scope,
    { counted: { oql, window } },
    ({ counted }) => ({
      sql: `SELECT ifNull(k1, '') AS version, toFloat64(v1) AS n, ${ms('v2')} AS first, ${ms('v3')} AS last FROM (${counted.sql}) ORDER BY last DESC, version LIMIT 100`,
    }),
    { lane, signal },
  );
  return rows;
}

/** Each unit of the window, with all variants that it saw in it. */
function units({ scope }: Seen): string {
  return `SELECT unit, groupUniqArray(toString(exposures.variant)) AS variants, min(exposures.first_at) AS at, max(exposures.tracked) AS tracked
    FROM exposures WHERE ${inScope(scope)} AND exposures.flag = {flag:String} AND exposures.variant != ''
      AND exposures.day >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) AND exposures.day <= toDate(fromUnixTimestamp64Nano({to:Int64}, 'UTC'))
      AND exposures.last_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND exposures.first_at < fromUnixTimestamp64Nano({to:Int64}, 'UTC')
    GROUP BY unit`;
}

export interface UnitCounts {
  readonly variant: string;
  readonly units: number;
}

/** Units by variant: a unit that saw several counts for each of them. */
export async function countUnits(gateway: Gateway, seen: Seen) {
  const params = { ...windowParameters(seen.window), flag: seen.flag };
  const telemetry = gateway.lane(lane);
  const [byVariant, totals, crossed] = await Promise.all([
    telemetry.rows<UnitCounts>(
      seen.scope,
      `SELECT arrayJoin(variants) AS variant, toFloat64(count()) AS units FROM (${units(seen)}) GROUP BY variant ORDER BY variant LIMIT 1000`,
      params,
      seen.signal,
    ),
    telemetry.rows<{ units: number; crossed: number }>(
      seen.scope,
      `SELECT toFloat64(count()) AS units, toFloat64(countIf(length(variants) > 1)) AS crossed FROM (${units(seen)})`,
      params,
      seen.signal,
    ),
    telemetry.rows<{ unit: string; variants: string[] }>(
      seen.scope,
      `SELECT unit, arraySort(variants) AS variants FROM (${units(seen)}) WHERE length(variants) > 1 ORDER BY at DESC, unit LIMIT ${maxCrossedShown}`,
      params,
      seen.signal,
    ),
  ]);
  const [total = { units: 0, crossed: 0 }] = totals;
  return { byVariant, total, crossed };
}

/** Units by the step and the variant of their first exposure in the window. */
export async function listNewUnits(
  gateway: Gateway,
  seen: Seen,
  stepMs: number,
): Promise<readonly { readonly time: number; readonly variant: string; readonly units: number }[]> {
  return gateway.lane(lane).rows(
    seen.scope,
    `SELECT toFloat64(greatest(intDiv(toUnixTimestamp64Milli(at), {step:Int64}), intDiv(intDiv({from:Int64}, 1000000), {step:Int64})) * {step:Int64}) AS time,
      variant, toFloat64(count()) AS units
     FROM (SELECT unit, argMin(toString(exposures.variant), exposures.first_at) AS variant, min(exposures.first_at) AS at FROM exposures
       WHERE ${inScope(seen.scope)} AND exposures.flag = {flag:String} AND exposures.variant != ''
         AND exposures.day >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) AND exposures.day <= toDate(fromUnixTimestamp64Nano({to:Int64}, 'UTC'))
         AND exposures.last_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND exposures.first_at < fromUnixTimestamp64Nano({to:Int64}, 'UTC')
       GROUP BY unit)
     GROUP BY time, variant ORDER BY time, variant LIMIT 20000`,
    { ...windowParameters(seen.window), flag: seen.flag, step: String(stepMs) },
    seen.signal,
  );
}

/** Units of the tracked split of one version, by variant; those that saw several are counted apart. */
export async function countTracked(
  gateway: Gateway,
  seen: Seen,
  version: string,
): Promise<{ readonly arms: Readonly<Record<string, number>>; readonly crossed: number }> {
  const rows = await gateway.lane(lane).rows<{ arm: string; n: number }>(
    seen.scope,
    `SELECT if(length(variants) > 1, '', variants[1]) AS arm, toFloat64(count()) AS n FROM (
       SELECT unit, groupUniqArray(toString(exposures.variant)) AS variants FROM exposures
       WHERE ${inScope(seen.scope)} AND exposures.flag = {flag:String} AND exposures.variant != '' AND exposures.tracked = 1 AND exposures.version = {version:String}
         AND exposures.day >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) AND exposures.day <= toDate(fromUnixTimestamp64Nano({to:Int64}, 'UTC'))
         AND exposures.last_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND exposures.first_at < fromUnixTimestamp64Nano({to:Int64}, 'UTC')
       GROUP BY unit)
     GROUP BY arm`,
    { ...windowParameters(seen.window), flag: seen.flag, version },
    seen.signal,
  );
  const arms = Object.fromEntries(rows.filter(({ arm }) => arm !== '').map(({ arm, n }) => [arm, n]));
  return { arms, crossed: rows.find(({ arm }) => arm === '')?.n ?? 0 };
}

export interface RequestNumbers {
  readonly variant: string;
  readonly requests: number;
  readonly errors: number;
  readonly p50: number;
  readonly p95: number;
}

/** How long before an evaluation its trace may have begun. */
const traceBeganNs = 600_000_000_000n;

/** Requests in the traces that saw each variant. A trace that saw two variants counts for both. */
export async function measureRequests(
  gateway: Gateway,
  { scope, flag, window, signal }: Seen,
  source: string,
): Promise<readonly RequestNumbers[]> {
  const oql = `${source} | extend fanion_failed=status == error | fields trace_id, duration, fanion_failed`;
  const began = window.fromNs > traceBeganNs ? window.fromNs - traceBeganNs : 0n;
  const { rows } = await gateway.relate<RequestNumbers, 'requests'>(
    scope,
    { requests: { oql, window: { fromNs: began, toNs: window.toNs }, rows: true } },
    ({ requests }) => ({
      sql: `WITH seen AS (SELECT DISTINCT lower(hex(flag_events.trace_id)) AS trace, toString(flag_events.variant) AS variant FROM flag_events
          WHERE ${inScope(scope)} AND flag_events.flag = {flag:String} AND ${inWindow('time', 'seen_')} AND flag_events.variant != '' AND flag_events.trace_id != toFixedString('', 16))
        SELECT seen.variant AS variant, sum(r.w) AS requests, sumIf(r.w, ifNull(r.v3, false)) AS errors,
          toFloat64(quantileExactWeighted(0.5)(assumeNotNull(r.v2), toUInt64(greatest(1, round(r.w))))) / 1e6 AS p50,
          toFloat64(quantileExactWeighted(0.95)(assumeNotNull(r.v2), toUInt64(greatest(1, round(r.w))))) / 1e6 AS p95
        FROM (SELECT assumeNotNull(v1) AS trace, v2, v3, w FROM (${requests.sql}) WHERE v1 IS NOT NULL AND v2 IS NOT NULL) AS r INNER JOIN seen ON r.trace = seen.trace
        GROUP BY variant ORDER BY variant`,
      params: { flag, ...windowParameters(window, 'seen_') },
    }),
    { lane, signal },
  );
  return rows;
}
