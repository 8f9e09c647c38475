import { POINT_BYTES, pointColumns, seriesColumns } from '@fanion/telemetry';
import { inScope, type TelemetryScope } from '../scoped-telemetry.ts';
import type { Place } from './keeping-rules.ts';

/** Reads rows in the format RowBinary in pieces, in the lane of background jobs. */
export type ReadRows = (
  scope: TelemetryScope,
  statement: string,
  params: Readonly<Record<string, unknown>>,
  more: {
    readonly signal: AbortSignal;
    /** Beyond it the read fails with `QUERY_TOO_EXPENSIVE`. */
    readonly maxResultRows: number;
    readonly take: (bytes: Uint8Array<ArrayBuffer>) => void;
  },
) => Promise<void>;

/** What one statement reads: the store has its rows in memory until they are sent. */
const sliceMs = 30 * 60_000;
const dayMs = 86_400_000;

/** All descriptions of the series of a metric that its points since a time can have, as {@link seriesColumns}. */
export function readSeries(
  read: ReadRows,
  { workspace, metric }: Place,
  fromMs: number,
  more: Parameters<ReadRows>[3],
): Promise<void> {
  const scope = { workspace, project: undefined, environment: undefined };
  return read(
    scope,
    `SELECT ${seriesColumns.map((name) => `metric_series.${name}`).join(', ')} FROM metric_series
     WHERE ${inScope(scope)} AND metric = {metric:String} AND day >= toDate({day:UInt16})`,
    { metric, day: Math.floor(fromMs / dayMs) },
    more,
  );
}

/**
 * All points of a metric since a time, of all projects and environments, as `pointsIn` gives them. It is read in slices of time, oldest first, each by
 * series and time.
 * @param toMs no slice ends later, but the last one has no end
 */
export async function readPoints(
  read: ReadRows,
  { workspace, metric }: Place,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  more: Parameters<ReadRows>[3],
): Promise<void> {
  const scope = { workspace, project: undefined, environment: undefined };
  const at = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;
  let left = more.maxResultRows;
  const take = (bytes: Uint8Array<ArrayBuffer>) => {
    left -= bytes.length / POINT_BYTES;
    more.take(bytes);
  };
  for (let from = fromMs; from < toMs; from += sliceMs) {
    const isLast = from + sliceMs >= toMs;
    await read(
      scope,
      `SELECT ${pointColumns.join(', ')} FROM metric_points
       WHERE ${inScope(scope)} AND metric = {metric:String} AND NOT no_recorded_value AND time >= ${at('from')}${isLast ? '' : ` AND time < ${at('to')}`}
       ORDER BY series, time`,
      { metric, from: String(from), to: String(from + sliceMs) },
      { ...more, maxResultRows: Math.max(1, Math.floor(left)), take },
    );
  }
}
