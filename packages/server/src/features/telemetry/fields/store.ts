import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { CountedValue, FieldRow } from './rules.ts';
import type { Look } from './sent-types.ts';

export interface FieldQuery {
  readonly source: FieldRow['source'] | undefined;
  readonly window: Window;
}

/**
 * More names than any real telemetry uses; beyond this, names contain data, and only the most frequent are returned.
 */
export const maxFields = 5_000;

/** Buckets that the window touches: quarters of an hour, and days for metrics. */
function where(scope: TelemetryScope, { source }: FieldQuery): string {
  return [
    inScope(scope),
    ...(source === undefined ? [] : ['signal = {source:String}']),
    `bucket >= if(signal = 'metrics', toDateTime(toDate(toDateTime({from:UInt32}, 'UTC')), 'UTC'), toStartOfFifteenMinutes(toDateTime({from:UInt32}, 'UTC')))`,
    `bucket >= toDateTime(toDate(toDateTime({from:UInt32}, 'UTC')), 'UTC')`,
    `bucket < toDateTime({to:UInt32}, 'UTC')`,
  ].join(' AND ');
}

/** The store's DateTime ends in 2106. */
const lastSecond = 4_294_967_295;

function parameters({ source, window }: FieldQuery) {
  const seconds = (ns: bigint) => Math.min(lastSecond, Number(ns / 1_000_000_000n));
  return { source, from: seconds(window.fromNs), to: seconds(window.toNs + 999_999_999n) };
}

export async function listFields(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  query: FieldQuery,
  signal: AbortSignal,
): Promise<FieldRow[]> {
  return telemetry.rows<FieldRow>(
    scope,
    `SELECT signal AS source, scope, name, type, toFloat64(sum(rows)) AS rows, toFloat64(uniqCombinedMerge(12)(values)) AS cardinality, toUnixTimestamp(max(bucket)) AS latest
     FROM field_usage WHERE ${where(scope, query)} GROUP BY source, scope, name, type ORDER BY rows DESC, source, scope, name, type LIMIT ${maxFields}`,
    parameters(query),
    signal,
  );
}

/** The most frequent values of a field, of each of its scopes and types. */
export async function listValues(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  query: FieldQuery,
  field: { name: string; scopes: readonly FieldRow['scope'][] },
  signal: AbortSignal,
): Promise<(CountedValue & Pick<FieldRow, 'scope'>)[]> {
  return telemetry.rows(
    scope,
    `SELECT scope, item.1 AS value, toFloat64(item.2) AS count FROM (
       SELECT scope, arrayJoin(approx_top_sumMerge(50, 150)(top)) AS item
       FROM field_usage WHERE ${where(scope, query)} AND name = {name:String} AND scope IN {scopes:Array(String)} GROUP BY scope, signal, type)`,
    { ...parameters(query), name: field.name, scopes: field.scopes },
    signal,
  );
}

/** The rows of a source that a bucket of the roll-up counts, by the name of the parameter with its beginning. */
const tables: Readonly<Record<FieldRow['source'], { table: string; inBucket: (bucket: string) => string }>> = {
  spans: { table: 'spans', inBucket: inQuarter },
  logs: { table: 'logs', inBucket: inQuarter },
  metrics: {
    table: 'metric_series',
    inBucket: (bucket) => `day = toDate(toDateTime({${bucket}:UInt32}, 'UTC'), 'UTC')`,
  },
  profiles: { table: 'profile_samples', inBucket: inQuarter },
};

/** Also by the rounded time, which is what the rows are ordered by. */
function inQuarter(bucket: string): string {
  const begin = `toDateTime({${bucket}:UInt32}, 'UTC')`;
  return `(time >= ${begin} AND time < ${begin} + toIntervalMinute(15) AND toStartOfFiveMinutes(time) BETWEEN ${begin} AND ${begin} + toIntervalMinute(10))`;
}

/** Autocomplete asks at each keystroke; this many rows take about 10 ms. */
const maxRows = 1_000_000;

/** A parameter for each bucket. */
function bucketParameters(looks: readonly Look[]): { names: Map<number, string>; params: Record<string, number> } {
  const buckets = [...new Set(looks.flatMap((look) => look.buckets))];
  const names = new Map(buckets.map((bucket, at) => [bucket, `bucket${at}`]));
  return { names, params: Object.fromEntries([...names].map(([bucket, name]) => [name, bucket])) };
}

/**
 * The letters of the types that values were sent with (`packages/telemetry/src/transcode/attributes.ts`), of each
 * field that has any. Rows with the same resource share one text of types, so only few texts are taken apart.
 */
export async function listLetters(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  looks: readonly Look[],
  signal: AbortSignal,
): Promise<(Pick<FieldRow, 'source' | 'scope' | 'name'> & { readonly letter: string })[]> {
  if (looks.length === 0) return [];
  const { names, params } = bucketParameters(looks);
  const selects = looks.map(({ source, scope: of, buckets }) => {
    const { table, inBucket } = tables[source];
    const within = buckets.map((bucket) => inBucket(names.get(bucket) ?? '')).join(' OR ');
    return `SELECT DISTINCT '${source}' AS source, '${of}' AS scope, entry[1] AS name, entry[2] AS letter FROM (
       SELECT splitByChar('\\x01', arrayJoin(splitByChar('\\0', toString(types)))) AS entry FROM (
         SELECT DISTINCT types FROM (SELECT ${of}_types AS types FROM ${table} WHERE ${inScope(scope)} AND (${within}) LIMIT ${maxRows})))
     WHERE letter != '' LIMIT ${maxFields}`;
  });
  return telemetry.rows(scope, selects.join(' UNION ALL '), params, signal);
}

/** The most frequent values of attributes that are stored as text, in the buckets where their types were looked for. */
export async function listTexts(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  looks: readonly Look[],
  names: readonly string[],
  signal: AbortSignal,
): Promise<(Pick<FieldRow, 'source' | 'scope' | 'name'> & { readonly texts: string[]; readonly counts: number[] })[]> {
  if (names.length === 0) return [];
  const { names: buckets, params } = bucketParameters(looks);
  const within = [...buckets.values()].map((bucket) => `toDateTime({${bucket}:UInt32}, 'UTC')`).join(', ');
  return telemetry.rows(
    scope,
    `SELECT source, scope, name, arrayMap(item -> item.1, items) AS texts, arrayMap(item -> toFloat64(item.2), items) AS counts FROM (
       SELECT signal AS source, scope, name, approx_top_sumMerge(50, 150)(top) AS items
       FROM field_usage WHERE ${inScope(scope)} AND signal IN {sources:Array(String)} AND name IN {names:Array(String)}
         AND scope IN ('attribute', 'resource') AND type = 'string' AND bucket IN (${within})
       GROUP BY source, scope, name)`,
    { ...params, sources: [...new Set(looks.map(({ source }) => source))], names },
    signal,
  );
}
