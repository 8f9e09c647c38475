import { POINT_BYTES, pointColumns } from '@fanion/telemetry';
import { inScope, type TelemetryScope } from '../scoped-telemetry.ts';
import type { Place } from './keeping-rules.ts';

/** Reads rows in the format RowBinary, in the lane of background jobs. */
export type ReadRows = (
  scope: TelemetryScope,
  statement: string,
  params: Readonly<Record<string, unknown>>,
  limits: { readonly signal: AbortSignal; readonly maxResultRows: number },
) => Promise<Uint8Array<ArrayBuffer>>;

/** What one statement reads: the store has its rows in memory until they are sent. */
const sliceMs = 30 * 60_000;
const dayMs = 86_400_000;

/** A series as `metric_series` describes it, which is the same on all days. `isOfNumbers`: it is a gauge or a cumulative sum. */
export type SeriesRow = readonly [
  id: string,
  isOfNumbers: 0 | 1,
  project: number,
  environment: string,
  service: string,
  attributes: readonly [keys: readonly string[], texts: readonly string[]],
  types: string,
  resource: readonly [keys: readonly string[], texts: readonly string[]],
  resourceTypes: string,
];

/** The series of a metric that its points since a time can have: each a text of JSON, of a {@link SeriesRow}. */
export function readSeries(
  read: ReadRows,
  { workspace, metric }: Place,
  fromMs: number,
  limits: Parameters<ReadRows>[3],
): Promise<Uint8Array<ArrayBuffer>> {
  const scope = { workspace, project: undefined, environment: undefined };
  // Older rows have no types.
  return read(
    scope,
    `SELECT toJSONString((
       toString(series), min(kind IN ('gauge', 'sum') AND temporality != 'delta'), any(metric_series.project), any(metric_series.environment), any(service),
       [mapKeys(any(attributes)), mapValues(any(attributes))], max(attribute_types),
       [mapKeys(any(resource)), mapValues(any(resource))], max(resource_types)))
     FROM metric_series
     WHERE ${inScope(scope)} AND metric = {metric:String} AND day >= toDate({day:UInt16})
     GROUP BY series`,
    { metric, day: Math.floor(fromMs / dayMs) },
    limits,
  );
}

/** All points of a metric since a time, as `pointsOf` reads them: in slices of time, oldest first, each by series and time. */
export async function* readPoints(
  read: ReadRows,
  { workspace, metric }: Place,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  { signal, maxResultRows }: Parameters<ReadRows>[3],
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const scope = { workspace, project: undefined, environment: undefined };
  const at = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;
  let left = maxResultRows;
  for (let from = fromMs; from < toMs; from += sliceMs) {
    // The last slice has no end.
    const end = from + sliceMs >= toMs ? '' : `AND time < ${at('to')}`;
    const rows = await read(
      scope,
      `SELECT ${pointColumns.join(', ')} FROM metric_points
       WHERE ${inScope(scope)} AND metric = {metric:String} AND NOT no_recorded_value AND time >= ${at('from')} ${end}
       ORDER BY series, time`,
      { metric, from: String(from), to: String(from + sliceMs) },
      { signal, maxResultRows: Math.max(1, left) },
    );
    left -= rows.length / POINT_BYTES;
    yield rows;
  }
}
