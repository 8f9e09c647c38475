import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { CountedValue, FieldRow } from './rules.ts';

export interface FieldQuery {
  readonly source: FieldRow['source'] | undefined;
  readonly window: Window;
}

/**
 * More names than any real telemetry uses; beyond this, names contain data, and only the most frequent are returned.
 */
const maxFields = 5_000;

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
    `SELECT signal AS source, scope, name, type, toFloat64(sum(rows)) AS rows, toFloat64(uniqCombinedMerge(12)(values)) AS cardinality
     FROM field_usage WHERE ${where(scope, query)} GROUP BY source, scope, name, type ORDER BY rows DESC LIMIT ${maxFields}`,
    parameters(query),
    signal,
  );
}

/**
 * The attributes of a scope with all of their types, from exact counts of names, so that a type is listed as soon as
 * one row has it. At most {@link maxFields}, the most frequent ones.
 */
export async function listAttributeTypes(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  window: Window,
  signal: AbortSignal,
): Promise<Omit<FieldRow, 'cardinality'>[]> {
  return telemetry.rows(
    scope,
    `SELECT signal AS source, scope, name, type, toFloat64(sum(rows)) AS rows
     FROM field_usage WHERE ${where(scope, { source: undefined, window })} AND scope IN ('attribute', 'resource')
     GROUP BY source, scope, name, type ORDER BY rows DESC LIMIT ${maxFields}`,
    parameters({ source: undefined, window }),
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
