import {
  inOrderedWindow,
  inScope,
  type ScopedTelemetry,
  type TelemetryScope,
  windowParameters,
} from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';

/** One masked shape in a window. 64-bit numbers are text. */
export interface ShapeRow {
  readonly hash: string;
  readonly count: number;
  readonly examples: string[];
  readonly first_ns: string;
  readonly last_ns: string;
  /** Slice and count, where there are any. */
  readonly trend: [number, number][];
  readonly severities: [number, number][];
  readonly services: [string, number][];
  /** As the store writes truth. */
  readonly is_known: number | boolean;
}

export interface ShapeFilter {
  readonly window: Window;
  readonly sinceNs: bigint;
  readonly service: string | undefined;
  /** Severity number. */
  readonly severity: number | undefined;
  readonly search: string | undefined;
  readonly slices: number;
}

/** Different shapes of a window; a service that logs more statements than this writes prose. */
export const maxShapes = 50_000;
/** A body's beginning shows what it is; kilobytes of it times thousands of shapes would not. */
const exampleCharacters = 2_000;

/** Shapes of a window with what is to be told of them, the most frequent first; fails beyond {@link maxShapes}. */
export async function listShapes(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { window, sinceNs, service, severity, search, slices }: ShapeFilter,
  signal: AbortSignal,
): Promise<ShapeRow[]> {
  const conditions = [
    inScope(scope),
    ...(service === undefined ? [] : ['service = {service:String}']),
    ...(severity === undefined ? [] : ['severity >= {severity:UInt8}']),
    ...(search === undefined || search === '' ? [] : ['positionCaseInsensitiveUTF8(body, {search:String}) > 0']),
  ].join(' AND ');
  const slice = `toUInt16(intDiv(toUnixTimestamp64Nano(time) - {from:Int64}, {slice_ns:Int64}))`;
  const pairs = (key: string) =>
    `arrayZip(tupleElement(${key}, 1), arrayMap(n -> toFloat64(n), tupleElement(${key}, 2)))`;
  // Rows are added up by all that is told of a shape first: what is left for the arrays is little.
  return telemetry.rows<ShapeRow>(
    scope,
    `SELECT toString(shape) AS hash, toFloat64(sum(counted)) AS count, groupUniqArrayArray(3)(bodies) AS examples,
       toString(toUnixTimestamp64Nano(min(first))) AS first_ns, toString(toUnixTimestamp64Nano(max(last))) AS last_ns,
       ${pairs('sumMap([slice], [counted])')} AS trend,
       ${pairs('sumMap([severity], [counted])')} AS severities,
       ${pairs('sumMap([toString(service)], [counted])')} AS services,
       shape IN (SELECT DISTINCT shape FROM logs WHERE ${conditions} AND ${inOrderedWindow('since_')}) AS is_known
     FROM (
       SELECT shape, ${slice} AS slice, severity, service, count() AS counted, min(time) AS first, max(time) AS last,
         groupUniqArray(3)(substringUTF8(body, 1, ${exampleCharacters})) AS bodies
       FROM logs WHERE ${conditions} AND ${inOrderedWindow()} GROUP BY shape, slice, severity, service)
     GROUP BY shape ORDER BY count DESC, hash LIMIT ${maxShapes + 1}`,
    {
      service,
      severity,
      search,
      slice_ns: String((window.toNs - window.fromNs + BigInt(slices) - 1n) / BigInt(slices)),
      ...windowParameters(window),
      ...windowParameters({ fromNs: sinceNs, toNs: window.fromNs }, 'since_'),
    },
    signal,
  );
}
