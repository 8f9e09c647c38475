import type { CatalogueField, CatalogueMetric, MetricRollUps } from '@fanion/oql';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../scoped-telemetry.ts';
import { rangesOf } from './roll-up-rules.ts';

/** More names than any real telemetry uses; beyond this, names contain data. */
const maxFields = 5_000;
const maxMetrics = 5_000;
/** The store's DateTime ends in 2106. */
const lastSecond = 4_294_967_295;
const hourNs = 3_600_000_000_000n;
const attributeTypes = ['string', 'int', 'float', 'bool', 'json'] as const;

/** Half-open. */
export interface Reach {
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

interface AttributeRow {
  readonly source: 'spans' | 'logs' | 'metrics';
  readonly scope: 'attribute' | 'resource';
  readonly name: string;
  readonly types: readonly string[];
}

/**
 * The attributes since the start of a day, each with all of its types, from exact counts of names, so that a type is listed as soon as one row
 * has it.
 * @returns `isWhole`: there are no others; else the 5,000 most frequent
 */
export async function listAttributes(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  dayStartNs: bigint,
  signal: AbortSignal,
): Promise<{ readonly fields: CatalogueField[]; readonly isWhole: boolean }> {
  const rows = await telemetry.rows<AttributeRow>(
    scope,
    `SELECT signal AS source, scope, name, groupUniqArray(type) AS types FROM field_usage
     WHERE ${inScope(scope)} AND bucket >= toDateTime({from:UInt32}, 'UTC') AND scope IN ('attribute', 'resource') AND signal IN ('spans', 'logs', 'metrics')
     GROUP BY source, scope, name ORDER BY sum(rows) DESC, name LIMIT ${maxFields + 1}`,
    { from: Math.min(lastSecond, Number(dayStartNs / 1_000_000_000n)) },
    signal,
  );
  const fields = rows.slice(0, maxFields).map(
    ({ source, scope, name, types }): CatalogueField => ({
      signal: source === 'metrics' ? 'metric' : source,
      scope,
      name,
      types: attributeTypes.filter((type) => types.includes(type)),
    }),
  );
  return { fields, isWhole: rows.length <= maxFields };
}

/**
 * Metrics with each kind and temporality that they had on the days of a window. For named ones also whether they are
 * the buckets of classic histograms, which needs the label keys.
 * @param names undefined: all metrics, the first 5,000 by name
 */
export function listMetricKinds(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { fromNs, toNs }: Reach,
  names: readonly string[] | undefined,
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
 * When the roll-ups of metrics contain all points that are stored: hours in which as many rows are stored as were rolled up, in each project and
 * environment of the scope. Rows are counted by the engine with each insert, so this reads no points. Hours without points count as
 * rolled up where they lie between others.
 */
export async function listRollUps(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  metrics: readonly string[],
  reach: Reach,
  signal: AbortSignal,
): Promise<MetricRollUps[]> {
  const hour = (name: string) => `toDateTime({${name}:UInt32}, 'UTC')`;
  const key = 'metric, project, environment, hour';
  const rows = await telemetry.rows<{ metric: string; at: number; whole: number }>(
    scope,
    `SELECT metric, intDiv(toUInt32(hour), 3600) AS at, toUInt8(min(stored = rolled)) AS whole
     FROM (SELECT ${key}, sum(stored) AS stored, sum(rolled) AS rolled FROM (
         SELECT metric, project, environment, toStartOfHour(time) AS hour, count() AS stored, toUInt64(0) AS rolled FROM metric_points
         WHERE ${inScope(scope)} AND metric IN {metrics:Array(String)} AND toStartOfHour(time) >= ${hour('from')} AND toStartOfHour(time) < ${hour('to')} GROUP BY ${key}
         UNION ALL SELECT ${key}, 0, argMax(metric_rollup_hours.rows, version) FROM metric_rollup_hours
         WHERE ${inScope(scope)} AND metric IN {metrics:Array(String)} AND hour >= ${hour('from')} AND hour < ${hour('to')} GROUP BY ${key})
       GROUP BY ${key})
     GROUP BY metric, hour ORDER BY metric, hour`,
    {
      metrics,
      from: Number(reach.fromNs / hourNs) * 3600,
      to: Number((reach.toNs + hourNs - 1n) / hourNs) * 3600,
    },
    signal,
  );
  return rangesOf(rows.map(({ metric, at, whole }) => ({ metric, at: Number(at), whole: Number(whole) === 1 })));
}
