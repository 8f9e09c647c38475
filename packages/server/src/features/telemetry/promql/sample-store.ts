import { STALE_BITS } from '@fanion/promql';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { ofSeries, parametersOf, type SeriesFilter, type Store } from './condition-store.ts';
import type { HistogramRow } from './histogram-rules.ts';

/** The columns of {@link readSamples}. */
export const sampleTypes = ['UInt64', 'Float64', 'UInt64', 'UInt32'] as const;
/** Bytes of a row: the series, the time in milliseconds, the bits of the value, and the nanoseconds after the time. */
const sampleBytes = 8 + 8 + 8 + 4;

/**
 * The samples of numbers, in the format Native. Within a part of the table they are by series and time; to put what the parts have of each series in
 * order is less work here than in the engine, which compares all rows.
 */
export function readSamples(
  { readChunks, lane }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter,
  limit: number,
  signal: AbortSignal,
): Promise<Buffer[]> {
  return readChunks(
    'Native',
    scope,
    `SELECT series, toFloat64(toUnixTimestamp64Milli(time)), if(no_recorded_value, ${STALE_BITS}, reinterpretAsUInt64(value)), nanos
     FROM metric_points WHERE ${ofSeries(scope, filter)} LIMIT {limit:UInt64}`,
    { ...parametersOf(filter), limit: limit + 1 },
    {
      lane,
      signal,
      // In its memory, the store has a block of rows with their metrics.
      limits: { maxResultRows: limit + 1, maxResultBytes: (limit + 1) * sampleBytes * 4 },
    },
  );
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

export interface ExemplarRow {
  readonly series: string;
  readonly ms: string;
  readonly value: string;
  /** Empty: none. */
  readonly trace_id: string;
  readonly span_id: string;
  readonly pairs: readonly (readonly [key: string, value: string])[];
}

/** Exemplars, by series and time. */
export async function listExemplars(
  { telemetry }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter,
  limit: number,
  signal: AbortSignal,
): Promise<ExemplarRow[]> {
  const id = (column: string, bytes: number) =>
    `if(${column} = toFixedString('', ${bytes}), '', lower(hex(${column})))`;
  return telemetry.rows<ExemplarRow>(
    scope,
    `SELECT toString(series) AS series, toString(toUnixTimestamp64Milli(time)) AS ms, toString(exemplars.value) AS value,
       ${id('exemplars.trace_id', 16)} AS trace_id, ${id('exemplars.span_id', 8)} AS span_id,
       arrayZip(mapKeys(exemplars.attributes), mapValues(exemplars.attributes)) AS pairs
     FROM exemplars WHERE ${ofSeries(scope, filter)} ORDER BY metric, exemplars.series, time, nanos LIMIT {limit:UInt32}`,
    { ...parametersOf(filter), limit },
    signal,
    { limits: { maxResultRows: limit } },
  );
}
