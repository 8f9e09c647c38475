import type { Gateway } from '../../../platform/gateway/index.ts';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { type Family, scopePrefix } from './name-rules.ts';

export type Operator = '=' | '!=' | '=~' | '!~';

/** A condition on a label that a series has in the store. */
export interface LabelCondition {
  readonly name: string;
  readonly op: Operator;
  readonly value: string;
}

/** Unix milliseconds: `start` exclusive, `end` inclusive. */
export interface SampleWindow {
  readonly start: number;
  readonly end: number;
}

/** Which series a read is about. `isCumulative`: without delta temporality, which Prometheus does not have. */
export interface SeriesFilter {
  readonly window: SampleWindow;
  /** Names as they were sent; undefined: all. */
  readonly metrics?: readonly string[] | undefined;
  /** A name of Prometheus: metrics that cannot have it are left out, which saves reading their labels. */
  readonly name?: string | undefined;
  readonly conditions: readonly LabelCondition[];
  readonly isCumulative?: true;
}

export interface Store {
  readonly lookup: ScopedTelemetry;
  readonly telemetry: ScopedTelemetry;
  readonly readChunks: Gateway['readChunks'];
}

/** What remote write makes of labels (`packages/telemetry/src/convert/prometheus.ts`) is told from OTLP by its resource. */
const isWritten = `(scope_name = '' AND scope_version = ''
  AND arrayAll(k -> k IN ('service.namespace', 'service.name', 'service.instance.id', 'deployment.environment.name'), mapKeys(resource))
  AND resource['service.instance.id'] = attributes['instance']
  AND attributes['job'] IN (resource['service.name'], concat(resource['service.namespace'], '/', resource['service.name'])))`;

/** The label of the key `k`, as `labelName` in `name-rules.ts`. */
const labelOfKey = `replaceRegexpOne(replaceRegexpAll(k, '[^a-zA-Z0-9_]', '_'), '^([0-9])', 'key_\\\\1')`;

/** The value of attributes that have the same label: joined in the order of their keys. */
const ofAttributes = (map: string, label: string) =>
  `arrayStringConcat(arrayMap(one -> one.2, arraySort(arrayFilter(one -> one.1 = ${label} OR one.3 = ${label}, arrayMap((k, v) -> (k, v, ${labelOfKey}), mapKeys(${map}), mapValues(${map}))))), ';')`;

const orAttribute = (value: string, label: string) => `if(${value} != '', ${value}, attributes[${label}])`;
const job = `if(resource['service.namespace'] = '', resource['service.name'], concat(resource['service.namespace'], '/', resource['service.name']))`;

/** The value of a label of an OTLP series, as `labelsOf` in `series-rules.ts` gives it. */
function otlpValueOf(name: string, bound: string): string {
  switch (name) {
    case 'job':
      return orAttribute(job, bound);
    case 'instance':
      return orAttribute(`resource['service.instance.id']`, bound);
    case 'otel_scope_name':
      return 'scope_name';
    case 'otel_scope_version':
      return 'scope_version';
    case 'otel_scope_schema_url':
      return 'scope_schema_url';
    default:
      return name.startsWith(scopePrefix)
        ? ofAttributes('scope_attributes', `substring(${bound}, ${scopePrefix.length + 1})`)
        : ofAttributes('attributes', bound);
  }
}

/** The value of a label of any series; empty if it has none. */
function anyValueOf(name: string, bound: string): string {
  return `if(${isWritten}, attributes[${bound}], ${otlpValueOf(name, bound)})`;
}

function conditionOn({ name, op }: LabelCondition, at: number): string {
  const value = `{value${at}:String}`;
  const has = anyValueOf(name, `{label${at}:String}`);
  switch (op) {
    case '=':
      return `${has} = ${value}`;
    case '!=':
      return `${has} != ${value}`;
    case '=~':
      return `match(${has}, ${value})`;
    case '!~':
      return `NOT match(${has}, ${value})`;
  }
}

/** Prometheus anchors regexes, and its dot matches newlines. */
export function anchored(pattern: string): string {
  return `^(?s:${pattern})$`;
}

/** A series is described on each day on which it has points, and once for what arrives late. */
const described = `day >= toDate(fromUnixTimestamp64Milli({start:Int64}, 'UTC')) - 1 AND day <= toDate(fromUnixTimestamp64Milli({end:Int64}, 'UTC'))`;

const words = `replaceRegexpAll(metric, '[^a-zA-Z0-9:]+', '_')`;
/** The beginning of a translated name: the words of the metric, of which `total` and `ratio` may have moved to the end. */
const canHaveName = [
  `metric IN {written:Array(String)}`,
  `startsWith({name:String}, trim(BOTH '_' FROM ${words}))`,
  `startsWith({name:String}, trim(BOTH '_' FROM replaceRegexpAll(${words}, '(^|_)(total|ratio)(_|$)', '_')))`,
].join(' OR ');

function whereOf(scope: TelemetryScope, { metrics, name, conditions, isCumulative }: SeriesFilter): string {
  return [
    inScope(scope),
    described,
    ...(isCumulative ? [`temporality != 'delta'`] : []),
    ...(metrics === undefined ? [] : ['metric IN {metrics:Array(String)}']),
    ...(name === undefined ? [] : [`(${canHaveName})`]),
    ...conditions.map(conditionOn),
  ].join(' AND ');
}

function parametersOf({ window, metrics, name, conditions }: SeriesFilter): Record<string, unknown> {
  return {
    start: String(Math.trunc(window.start)),
    end: String(Math.trunc(window.end)),
    ...(metrics !== undefined && { metrics }),
    ...(name !== undefined && {
      name: name.replace(/^_+/, ''),
      written: [name, name.replace(/_(bucket|sum|count)$/, '')],
    }),
    ...Object.fromEntries(
      conditions.flatMap(({ name, op, value }, at) => [
        [`label${at}`, name],
        [`value${at}`, op === '=~' || op === '!~' ? anchored(value) : value],
      ]),
    ),
  };
}

const familyColumns = `metric, toString(kind) AS kind, temporality = 'delta' AS delta, monotonic, unit, ${isWritten} AS written`;

interface FamilyRow {
  readonly metric: string;
  readonly kind: Family['kind'];
  readonly delta: number;
  readonly monotonic: boolean;
  readonly unit: string;
  readonly written: number;
}

function familyOf({ metric, kind, delta, monotonic, unit, written }: FamilyRow): Family {
  return { metric, kind, isDelta: Boolean(delta), isMonotonic: Boolean(monotonic), unit, isWritten: Boolean(written) };
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
     GROUP BY metric, kind, delta, monotonic, unit, written ORDER BY metric LIMIT {limit:UInt32}`,
    { ...parametersOf(filter), limit },
    signal,
  );
  return rows.map((row) => ({ ...familyOf(row), description: row.description }));
}

/** A series as the store describes it. */
export interface StoredSeries {
  readonly id: string;
  readonly family: Family;
  readonly job: string;
  readonly instance: string;
  readonly scopeName: string;
  readonly scopeVersion: string;
  readonly scopeSchemaUrl: string;
  readonly scopeAttributes: readonly (readonly [key: string, value: string])[];
  readonly attributes: readonly (readonly [key: string, value: string])[];
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
  const rows = await telemetry.rows<{ readonly key: string; readonly written: number }>(
    scope,
    `SELECT DISTINCT arrayJoin(if(${isWritten}, mapKeys(attributes), ${ofOtlp})) AS key, ${isWritten} AS written
     FROM metric_series WHERE ${whereOf(scope, filter)} LIMIT {limit:UInt32}`,
    { ...parametersOf(filter), limit },
    signal,
  );
  return rows.map(({ key, written }) => ({ key, isWritten: Boolean(written) }));
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

/** Bytes of a row of {@link readSamples}: the series, the time in milliseconds, the value, and whether there is none. */
export const sampleBytes = 8 + 8 + 8 + 1;

const inSampleWindow = `time > fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND time <= fromUnixTimestamp64Milli({end:Int64}, 'UTC')`;

function ofSeries(scope: TelemetryScope, filter: SeriesFilter): string {
  const ofMetrics = filter.metrics === undefined ? '' : 'AND metric IN {metrics:Array(String)}';
  return `${inScope(scope)} ${ofMetrics} AND ${inSampleWindow}
    AND series IN (SELECT series FROM metric_series WHERE ${whereOf(scope, filter)})`;
}

/** The samples of numbers, by series and time. */
export function readSamples(
  { readChunks }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter,
  limit: number,
  signal: AbortSignal,
): Promise<Buffer[]> {
  const bytes = (limit + 1) * sampleBytes;
  return readChunks(
    scope,
    `SELECT series, toUnixTimestamp64Milli(time), value, no_recorded_value FROM metric_points
     WHERE ${ofSeries(scope, filter)} ORDER BY metric, series, time, nanos LIMIT {limit:UInt64}`,
    { ...parametersOf(filter), limit: limit + 1 },
    {
      lane: 'interactive',
      signal,
      // In its memory, the store has a block of rows with their metrics.
      limits: { maxResultRows: limit + 1, maxResultBytes: bytes * 4 },
    },
  );
}

/** A stored point of a histogram or summary. Counts are texts, since they may be beyond 2^53. */
export interface HistogramRow {
  readonly series: string;
  readonly ms: string;
  readonly none: boolean;
  readonly count: string;
  /** Empty: not recorded. */
  readonly sum: string;
  readonly bounds: readonly number[];
  readonly counts: readonly string[];
  readonly scale: number;
  readonly zeros: string;
  readonly zero_threshold: number;
  readonly positive_offset: number;
  readonly positives: readonly string[];
  readonly negative_offset: number;
  readonly negatives: readonly string[];
  readonly quantiles: readonly number[];
  readonly quantile_values: readonly string[];
}

const texts = (column: string) => `arrayMap(one -> toString(one), ${column})`;

/** The points of histograms and summaries, by series and time. */
export async function readHistograms(
  { telemetry }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter,
  limit: number,
  signal: AbortSignal,
): Promise<HistogramRow[]> {
  return telemetry.rows<HistogramRow>(
    scope,
    `SELECT toString(series) AS series, toString(toUnixTimestamp64Milli(time)) AS ms, no_recorded_value AS none,
       toString(count) AS count, ifNull(toString(sum), '') AS sum, bounds, ${texts('bucket_counts')} AS counts, scale,
       toString(zero_count) AS zeros, zero_threshold, positive_offset, ${texts('positive_counts')} AS positives,
       negative_offset, ${texts('negative_counts')} AS negatives, quantiles, ${texts('quantile_values')} AS quantile_values
     FROM metric_histograms WHERE ${ofSeries(scope, filter)} ORDER BY metric, metric_histograms.series, time, nanos LIMIT {limit:UInt64}`,
    { ...parametersOf(filter), limit: limit + 1 },
    signal,
    { limits: { maxResultRows: limit + 1, maxResultBytes: 128 * 1024 ** 2 } },
  );
}

/** They are in the address of the store's request, which may have a megabyte. */
const textsAtOnce = 2_000;

/** Those of some texts that a regex matches whole. It runs here because users write it: V8's regexes can take forever. */
export async function listMatching(
  { lookup }: Store,
  scope: TelemetryScope,
  candidates: readonly string[],
  pattern: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const matching = new Set<string>();
  for (let from = 0; from < candidates.length; from += textsAtOnce) {
    const rows = await lookup.rows<{ readonly text: string }>(
      scope,
      `SELECT text FROM (SELECT arrayJoin({texts:Array(String)}) AS text) WHERE match(text, {pattern:String})`,
      { texts: candidates.slice(from, from + textsAtOnce), pattern: anchored(pattern) },
      signal,
    );
    for (const { text } of rows) matching.add(text);
  }
  return matching;
}
