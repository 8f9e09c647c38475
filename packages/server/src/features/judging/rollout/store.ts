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

/** Each unit of the window with what it saw in it; `{version:String}` is that of the tracked split. */
function units({ scope }: Seen): string {
  const isTracked = 'exposures.tracked = 1 AND exposures.version = {version:String}';
  return `SELECT unit, arraySort(groupUniqArray(toString(exposures.variant))) AS variants,
      argMin(toString(exposures.variant), exposures.first_at) AS first_variant, min(exposures.first_at) AS at,
      minIf(toString(exposures.variant), ${isTracked}) AS tracked_least, maxIf(toString(exposures.variant), ${isTracked}) AS tracked_most
    FROM exposures WHERE ${inScope(scope)} AND exposures.flag = {flag:String} AND exposures.variant != ''
      AND exposures.day >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) AND exposures.day <= toDate(fromUnixTimestamp64Nano({to:Int64}, 'UTC'))
      AND exposures.last_at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND exposures.first_at < fromUnixTimestamp64Nano({to:Int64}, 'UTC')
    GROUP BY unit`;
}

/** Units in all, by variant, and by the step and the variant of their first exposure in the window. */
export interface UnitCounts {
  readonly units: number;
  /** Units that saw several variants. */
  readonly crossed: number;
  readonly crossedUnits: readonly { readonly unit: string; readonly variants: readonly string[] }[];
  /** A unit that saw several variants counts for each of them. */
  readonly byVariant: readonly { readonly variant: string; readonly units: number }[];
  readonly byFirst: readonly { readonly time: number; readonly variant: string; readonly units: number }[];
  /** Units of the tracked split of the version; those that saw several of its variants are counted apart. */
  readonly tracked: { readonly arms: Readonly<Record<string, number>>; readonly crossed: number };
}

const kinds = { all: 1, crossed: 2, variant: 3, first: 4, tracked: 5 } as const;
const maxVariants = 1_000;
const maxSteps = 20_000;

/** Reads all counts in one scan of the exposures, and in a second one the units that crossed, if there are any. */
export async function countUnits(
  gateway: Gateway,
  seen: Seen,
  { stepMs, version }: { readonly stepMs: number; readonly version: string },
): Promise<UnitCounts> {
  const params = { ...windowParameters(seen.window), flag: seen.flag, version, step: String(stepMs) };
  const telemetry = gateway.lane(lane);
  const step = `greatest(intDiv(toUnixTimestamp64Milli(at), {step:Int64}), intDiv(intDiv({from:Int64}, 1000000), {step:Int64})) * {step:Int64}`;
  // A unit stands in one row of each count that it belongs to.
  const rows = await telemetry.rows<{ kind: number; time: number; name: string; n: number }>(
    seen.scope,
    `SELECT one.1 AS kind, toFloat64(one.2) AS time, one.3 AS name, toFloat64(count()) AS n FROM (
       SELECT arrayJoin(arrayConcat(
         [(${kinds.all}, toInt64(0), ''), (${kinds.first}, ${step}, first_variant)],
         if(length(variants) > 1, [(${kinds.crossed}, toInt64(0), '')], []),
         arrayMap(variant -> (${kinds.variant}, toInt64(0), variant), variants),
         if(tracked_least = '', [], [(${kinds.tracked}, toInt64(0), if(tracked_least = tracked_most, tracked_least, ''))])
       )) AS one FROM (${units(seen)}))
     GROUP BY kind, time, name ORDER BY kind, time, name LIMIT ${maxSteps} BY kind`,
    params,
    seen.signal,
  );
  const of = (kind: keyof typeof kinds) => rows.filter((row) => row.kind === kinds[kind]);
  const crossed = of('crossed')[0]?.n ?? 0;
  const crossedUnits =
    crossed === 0
      ? []
      : await telemetry.rows<{ unit: string; variants: string[] }>(
          seen.scope,
          `SELECT unit, variants FROM (${units(seen)}) WHERE length(variants) > 1 ORDER BY at DESC, unit LIMIT ${maxCrossedShown}`,
          params,
          seen.signal,
        );
  const tracked = of('tracked');
  return {
    units: of('all')[0]?.n ?? 0,
    crossed,
    crossedUnits,
    byVariant: of('variant')
      .slice(0, maxVariants)
      .map(({ name, n }) => ({ variant: name, units: n })),
    byFirst: of('first').map(({ time, name, n }) => ({ time, variant: name, units: n })),
    tracked: {
      arms: Object.fromEntries(tracked.filter(({ name }) => name !== '').map(({ name, n }) => [name, n])),
      crossed: tracked.find(({ name }) => name === '')?.n ?? 0,
    },
  };
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
