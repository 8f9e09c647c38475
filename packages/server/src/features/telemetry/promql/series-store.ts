import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { anyValueOf, job, ofSeries, parametersOf, type SeriesFilter, type Store, whereOf } from './condition-store.ts';
import { type Family, scopePrefix } from './name-rules.ts';
import type { StoredSeries } from './series-rules.ts';

const familyColumns = `metric, toString(kind) AS kind, temporality = 'delta' AS delta, monotonic, unit, written,
  written AND temporality = 'unspecified' AND kind IN ('histogram', 'exponential_histogram') AS gauge`;

interface FamilyRow {
  readonly metric: string;
  readonly kind: Family['kind'];
  readonly delta: number;
  readonly monotonic: boolean;
  readonly unit: string;
  readonly written: boolean;
  readonly gauge: number;
}

function familyOf({ metric, kind, delta, monotonic, unit, written, gauge }: FamilyRow): Family {
  const isGauge = Boolean(gauge);
  return { metric, kind, isDelta: Boolean(delta), isMonotonic: Boolean(monotonic), unit, isWritten: written, isGauge };
}

/** The families of the series that are in a window, in the order of their names. */
export async function listFamilies(
  { telemetry }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter,
  limit: number,
  signal: AbortSignal,
): Promise<Family[]> {
  const rows = await telemetry.rows<FamilyRow>(
    scope,
    `SELECT DISTINCT ${familyColumns} FROM metric_series WHERE ${whereOf(scope, filter)} ORDER BY metric LIMIT {limit:UInt32}`,
    { ...parametersOf(filter), limit },
    signal,
  );
  return rows.map(familyOf);
}

/** The descriptions of metrics, the latest of each family. */
export async function listDescriptions(
  { telemetry }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter,
  limit: number,
  signal: AbortSignal,
): Promise<(Family & { readonly description: string })[]> {
  const rows = await telemetry.rows<FamilyRow & { readonly description: string }>(
    scope,
    `SELECT ${familyColumns}, argMax(description, day) AS description FROM metric_series WHERE ${whereOf(scope, filter)}
     GROUP BY metric, kind, delta, monotonic, unit, written, gauge ORDER BY metric LIMIT {limit:UInt32}`,
    { ...parametersOf(filter), limit },
    signal,
  );
  return rows.map((row) => ({ ...familyOf(row), description: row.description }));
}

interface SeriesRow extends FamilyRow {
  readonly series: string;
  readonly job: string;
  readonly instance: string;
  readonly scope_name: string;
  readonly scope_version: string;
  readonly scope_schema_url: string;
  readonly scopes: readonly (readonly [string, string])[];
  readonly pairs: readonly (readonly [string, string])[];
}

/** Series of a window; one more than `limit` means that there are more. */
export async function listSeries(
  { telemetry }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter,
  limit: number,
  signal: AbortSignal,
): Promise<StoredSeries[]> {
  // The id is a hash of all that is read here besides the description.
  const rows = await telemetry.rows<SeriesRow>(
    scope,
    `SELECT toString(series) AS series, ${familyColumns}, ${job} AS job, resource['service.instance.id'] AS instance,
       scope_name, scope_version, scope_schema_url, arrayZip(mapKeys(scope_attributes), mapValues(scope_attributes)) AS scopes,
       arrayZip(mapKeys(attributes), mapValues(attributes)) AS pairs
     FROM metric_series WHERE ${whereOf(scope, filter)} LIMIT 1 BY metric_series.series LIMIT {limit:UInt32}`,
    { ...parametersOf(filter), limit: limit + 1 },
    signal,
    { limits: { maxResultRows: limit + 1, maxResultBytes: 128 * 1024 ** 2 } },
  );
  return rows.map((row) => ({
    id: row.series,
    family: familyOf(row),
    job: row.job,
    instance: row.instance,
    scopeName: row.scope_name,
    scopeVersion: row.scope_version,
    scopeSchemaUrl: row.scope_schema_url,
    scopeAttributes: row.scopes,
    attributes: row.pairs,
  }));
}

/** Labels that OTLP's resource and scope become. */
const ofResource = [
  [job, 'job'],
  [`resource['service.instance.id']`, 'instance'],
  ['scope_name', 'otel_scope_name'],
  ['scope_version', 'otel_scope_version'],
  ['scope_schema_url', 'otel_scope_schema_url'],
] as const;

/** Keys of attributes, and names of the labels of resources and scopes. */
export async function listKeys(
  { telemetry }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly key: string; readonly isWritten: boolean }[]> {
  const named = ofResource.map(([value, name]) => `if(${value} = '', [], ['${name}'])`).join(', ');
  const ofOtlp = `arrayConcat(mapKeys(attributes), arrayMap(k -> concat('${scopePrefix}', k), mapKeys(scope_attributes)), ${named})`;
  const rows = await telemetry.rows<{ readonly key: string; readonly written: boolean }>(
    scope,
    `SELECT DISTINCT arrayJoin(if(written, mapKeys(attributes), ${ofOtlp})) AS key, written
     FROM metric_series WHERE ${whereOf(scope, filter)} LIMIT {limit:UInt32}`,
    { ...parametersOf(filter), limit },
    signal,
  );
  return rows.map(({ key, written }) => ({ key, isWritten: written }));
}

/** The values of a label that the store knows, in order. */
export async function listLabelValues(
  { telemetry }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter & { readonly label: string },
  limit: number,
  signal: AbortSignal,
): Promise<string[]> {
  const rows = await telemetry.rows<{ readonly text: string }>(
    scope,
    `SELECT DISTINCT ${anyValueOf(filter.label, '{label:String}')} AS text
     FROM metric_series WHERE ${whereOf(scope, filter)} AND text != '' ORDER BY text LIMIT {limit:UInt32}`,
    { ...parametersOf(filter), label: filter.label, limit },
    signal,
    { limits: { maxResultRows: limit } },
  );
  return rows.map(({ text }) => text);
}

/** The bounds and quantiles that the points of each histogram or summary have. */
export async function listBounds(
  { telemetry }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter,
  signal: AbortSignal,
): Promise<{ readonly series: string; readonly bounds: readonly number[]; readonly quantiles: readonly number[] }[]> {
  return telemetry.rows(
    scope,
    `SELECT toString(series) AS series, arraySort(groupUniqArrayArray(metric_histograms.bounds)) AS bounds,
       arraySort(groupUniqArrayArray(metric_histograms.quantiles)) AS quantiles
     FROM metric_histograms WHERE ${ofSeries(scope, filter)} GROUP BY metric_histograms.series`,
    parametersOf(filter),
    signal,
  );
}

/** How many series each metric has, the most first. Metrics have the names that they were sent with. */
export async function countSeries(
  { telemetry }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly value: number }[]> {
  return telemetry.rows(
    scope,
    `SELECT toString(metric) AS name, toFloat64(uniqExact(series)) AS value FROM metric_series WHERE ${whereOf(scope, filter)}
     GROUP BY name ORDER BY value DESC, name`,
    parametersOf(filter),
    signal,
  );
}
