import { withTemplates } from '@fanion/oql';
import {
  inOrderedWindow,
  inScope,
  type ScopedTelemetry,
  type TelemetryScope,
  windowParameters,
} from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { Position } from './rules.ts';

export interface Filter {
  readonly window: Window;
  /** Start of the time before the window in which a pattern counts as known. */
  readonly sinceNs: bigint;
  readonly service: string | undefined;
  /** Severity number. */
  readonly severity: number | undefined;
  readonly search: string | undefined;
  readonly flagEvaluations: 'include' | 'exclude';
}

export interface Page {
  readonly after: Position | undefined;
  readonly limit: number;
}

/** A pattern of a window. 64-bit numbers are text. */
export interface PatternRow {
  readonly id: string;
  readonly template: string;
  readonly total: number;
  readonly shapes: string[];
  readonly shape_count: number;
  readonly examples: string[];
  readonly first_ns: string;
  readonly last_ns: string;
  /** Slice and count; slices without records are left out. */
  readonly trend: [number, number][];
  readonly severities: [number, number][];
  readonly services: string[];
  /** A boolean in the store's form. */
  readonly is_known: number | boolean;
  /** Records of all patterns of the window. */
  readonly all_records: number;
  readonly all_shapes: number;
  /** Records of this row, of all later ones, and of ties. */
  readonly rest_records: number;
  readonly rest_patterns: number;
}

export interface PatternShapeRow {
  readonly id: string;
  readonly total: number;
  readonly example: string;
  readonly first_ns: string;
  readonly last_ns: string;
  readonly all_shapes: number;
}

/** Distinct shapes of a window. More than this means that the logs are free text. */
export const maxShapes = 50_000;
/** The start of a body is enough as an example; kilobytes for each of thousands of shapes are too much. */
const exampleCharacters = 2_000;
/** The part of a body from which ingest computes its shape. */
const shapeBytes = 8_192;

/** Patterns of a window, most frequent first, one more than the page holds. */
export async function listPatterns(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  filter: Filter,
  { slices, after, limit }: Page & { readonly slices: number },
  signal: AbortSignal,
): Promise<PatternRow[]> {
  const conditions = conditionsOf(scope, filter);
  const slice = `toUInt16(intDiv(toUnixTimestamp64Nano(time) - {from:Int64}, {slice_ns:Int64}))`;
  // Rows are first summed by all columns of a shape, so that few are left for the arrays.
  const shapes = `
    SELECT shape, toFloat64(sum(counted)) AS records, any(text) AS sample, groupUniqArrayArray(3)(bodies) AS found,
      min(began) AS first_time, max(ended) AS last_time, sumMap([slice], [toFloat64(counted)]) AS slices,
      sumMap([severity], [toFloat64(counted)]) AS severity_counts,
      sumMap([toString(service)], [toFloat64(counted)]) AS service_counts,
      shape IN (SELECT DISTINCT shape FROM logs WHERE ${conditions} AND ${inOrderedWindow('since_')}) AS known
    FROM (
      SELECT shape, ${slice} AS slice, severity, service, count() AS counted, min(time) AS began, max(time) AS ended,
        any(substring(body, 1, ${shapeBytes})) AS text, groupUniqArray(3)(substringUTF8(body, 1, ${exampleCharacters})) AS bodies
      FROM logs WHERE ${conditions} AND ${inOrderedWindow()} GROUP BY shape, slice, severity, service)
    GROUP BY shape LIMIT ${maxShapes + 1}`;
  const pairs = (key: string, from: string) =>
    `sumMap(tupleElement(${from}, 1), tupleElement(${from}, 2)) AS ${key}_sums, arrayZip(tupleElement(${key}_sums, 1), tupleElement(${key}_sums, 2)) AS ${key}`;
  const patterns = `
    SELECT cityHash64(template) AS id, template, sum(records) AS total, count() AS shape_count,
      arrayMap(s -> toString(s.2), groupArraySorted(20)((-records, shape))) AS shapes,
      arraySlice(arrayDistinct(arrayFlatten(arrayMap(s -> s.3, groupArraySorted(3)((-records, shape, found))))), 1, 3) AS examples,
      min(first_time) AS began, max(last_time) AS ended, max(known) AS is_known,
      ${pairs('trend', 'slices')}, ${pairs('severities', 'severity_counts')}, ${pairs('service_pairs', 'service_counts')}
    FROM (${withTemplates(shapes, 'sample')}) GROUP BY template`;
  return telemetry.rows<PatternRow>(
    scope,
    `SELECT toString(id) AS id, template, total, shapes, toFloat64(shape_count) AS shape_count, examples,
       toString(toUnixTimestamp64Nano(began)) AS first_ns, toString(toUnixTimestamp64Nano(ended)) AS last_ns,
       trend, severities, is_known, all_records, toFloat64(all_shapes) AS all_shapes,
       arraySlice(arrayMap(s -> s.1, arraySort(s -> (-s.2, s.1), service_pairs)), 1, 10) AS services,
       sum(total) OVER () AS rest_records, toFloat64(count() OVER ()) AS rest_patterns
     FROM (SELECT *, sum(total) OVER () AS all_records, sum(shape_count) OVER () AS all_shapes FROM (${patterns})) AS p
     ${after ? 'WHERE (-total, p.id) > (-{after_count:Float64}, {after_id:UInt64})' : ''}
     ORDER BY total DESC, p.id LIMIT ${limit + 1}`,
    {
      ...parametersOf(filter, after),
      slice_ns: String((filter.window.toNs - filter.window.fromNs + BigInt(slices) - 1n) / BigInt(slices)),
      ...windowParameters({ fromNs: filter.sinceNs, toNs: filter.window.fromNs }, 'since_'),
    },
    signal,
  );
}

/** Shapes of one pattern of a window, most frequent first, one more than the page holds. */
export async function listPatternShapes(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  filter: Filter,
  { pattern, after, limit }: Page & { readonly pattern: string },
  signal: AbortSignal,
): Promise<PatternShapeRow[]> {
  const shapes = `
    SELECT shape, toFloat64(count()) AS total, any(substring(body, 1, ${shapeBytes})) AS sample, min(time) AS began, max(time) AS ended
    FROM logs WHERE ${conditionsOf(scope, filter)} AND ${inOrderedWindow()} GROUP BY shape LIMIT ${maxShapes + 1}`;
  return telemetry.rows<PatternShapeRow>(
    scope,
    `SELECT toString(shape) AS id, total, substringUTF8(sample, 1, ${exampleCharacters}) AS example,
       toString(toUnixTimestamp64Nano(began)) AS first_ns, toString(toUnixTimestamp64Nano(ended)) AS last_ns, all_shapes
     FROM (SELECT *, toFloat64(count() OVER ()) AS all_shapes FROM (${withTemplates(shapes, 'sample')}))
     WHERE toString(cityHash64(template)) = {pattern:String}
       ${after ? 'AND (-total, shape) > (-{after_count:Float64}, {after_id:UInt64})' : ''}
     ORDER BY total DESC, shape LIMIT ${limit + 1}`,
    { ...parametersOf(filter, after), pattern },
    signal,
  );
}

function conditionsOf(scope: TelemetryScope, { service, severity, search, flagEvaluations }: Filter): string {
  return [
    inScope(scope),
    ...(service === undefined ? [] : ['service = {service:String}']),
    ...(severity === undefined ? [] : ['severity >= {severity:UInt8}']),
    // The name of the event in OpenTelemetry's semantic conventions for feature flags.
    ...(flagEvaluations === 'include' ? [] : ["event_name != 'feature_flag.evaluation'"]),
    ...(search === undefined || search === '' ? [] : ['positionCaseInsensitiveUTF8(body, {search:String}) > 0']),
  ].join(' AND ');
}

function parametersOf({ window, service, severity, search }: Filter, after: Position | undefined) {
  return {
    service,
    severity,
    search,
    ...windowParameters(window),
    ...(after && { after_count: after.count, after_id: after.id }),
  };
}
