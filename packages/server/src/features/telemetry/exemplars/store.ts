import {
  inScope,
  inWindow,
  type ScopedTelemetry,
  type TelemetryScope,
  windowParameters,
} from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';

export interface ExemplarRow {
  readonly time_ns: string;
  readonly value: number | null;
  /** Digits of the value, if it is an integer beyond 2^53; otherwise `0`. */
  readonly integer: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly service: string;
  readonly unit: string;
  readonly attributes: Record<string, string>;
  readonly series_attributes: Record<string, string>;
}

/** The window is divided into this many slices, so that a busy minute does not hide the others. */
const slices = 60n;

const moment = `fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC')`;

/** Ordered by time. One row more than `limit` in a slice indicates that there are more. */
export async function listExemplars(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  filter: { metric: string; service: string | undefined; traced: boolean; window: Window; limit: number },
  signal: AbortSignal,
): Promise<{ rows: ExemplarRow[]; truncated: boolean }> {
  const { metric, service, traced, window, limit } = filter;
  const spanNs = window.toNs - window.fromNs;
  const sliceMs = spanNs / slices / 1_000_000n;
  const ofSlice = Math.ceil(limit / Number(slices));
  const conditions = [
    inScope(scope),
    'metric = {metric:String}',
    // The stored time has milliseconds; rows are found by it.
    `time >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC') AND time < fromUnixTimestamp64Nano({to:Int64}, 'UTC')`,
    inWindow(moment),
    ...(traced ? [`trace_id != toFixedString('', 16)`] : []),
    ...(service === undefined ? [] : [`series IN (SELECT series FROM described)`]),
  ];
  const rows = await telemetry.rows<ExemplarRow & { place: number }>(
    scope,
    `WITH described AS (
       SELECT project, environment, series, any(metric_series.service) AS service, any(metric_series.unit) AS unit, any(attributes) AS series_attributes
       FROM metric_series
       WHERE ${inScope(scope)} AND metric = {metric:String} AND day >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1 AND day <= toDate(fromUnixTimestamp64Nano({to:Int64}, 'UTC'))
         ${service === undefined ? '' : 'AND metric_series.service = {service:String}'}
       GROUP BY project, environment, series)
     SELECT toString(toUnixTimestamp64Milli(e.time) * 1000000 + e.nanos) AS time_ns, if(isFinite(e.value), e.value, NULL) AS value, toString(e.integer) AS integer,
       lower(hex(e.trace_id)) AS trace_id, lower(hex(e.span_id)) AS span_id, d.service AS service, d.unit AS unit,
       e.attributes AS attributes, d.series_attributes AS series_attributes, toUInt32(e.place) AS place
     FROM (
       SELECT *, row_number() OVER (PARTITION BY intDiv(toUnixTimestamp64Milli(time) - {from_ms:Int64}, {slice_ms:Int64}) ORDER BY value DESC, time, nanos) AS place
       FROM exemplars WHERE ${conditions.join(' AND ')}
     ) AS e LEFT JOIN described AS d USING (project, environment, series)
     WHERE e.place <= {of_slice:UInt32} + 1
     ORDER BY e.time, e.nanos, e.value`,
    {
      metric,
      service,
      ...windowParameters(window),
      from_ms: String(window.fromNs / 1_000_000n),
      slice_ms: String(sliceMs > 0n ? sliceMs : 1n),
      of_slice: ofSlice,
    },
    signal,
  );
  const shown = rows.filter(({ place }) => place <= ofSlice);
  return { rows: shown.slice(0, limit), truncated: rows.length > shown.length || shown.length > limit };
}
