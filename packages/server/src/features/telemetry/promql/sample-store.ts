import { STALE_BITS } from '@fanion/promql';
import type { Blocks } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { ofSeries, parametersOf, type SeriesFilter, type Store } from './condition-store.ts';
import type { HistogramRow } from './histogram-rules.ts';

/** The columns of {@link readSamples}: a series, and of its samples the times in milliseconds, the bits of the values, and the nanoseconds after the times. */
export const sampleTypes = ['UInt64', 'Array(Float64)', 'Array(UInt64)', 'Array(UInt32)'] as const;
export type SampleBlocks = Blocks<typeof sampleTypes>;
/** Bytes of a sample in the store's memory, whose lists may be half empty. */
const sampleBytes = 2 * (8 + 8 + 4);

/**
 * The samples of numbers in the format Native, a row for each series. They are in the order of the parts of the table that have them; to sort
 * these is less work here than in the engine, which compares all samples. Without parts of milliseconds, there are no nanoseconds.
 */
export function readSamples(
  { readBlocks, lane }: Store,
  scope: TelemetryScope,
  filter: SeriesFilter,
  limit: number,
  signal: AbortSignal,
): Promise<SampleBlocks> {
  return readBlocks(
    sampleTypes,
    scope,
    `SELECT series, groupArray(toFloat64(toUnixTimestamp64Milli(time))),
       groupArray(if(no_recorded_value, ${STALE_BITS}, reinterpretAsUInt64(value))), if(max(nanos) = 0, [], groupArray(nanos))
     FROM (SELECT series, time, value, no_recorded_value, nanos FROM metric_points WHERE ${ofSeries(scope, filter)} LIMIT {limit:UInt64})
     GROUP BY series`,
    { ...parametersOf(filter), limit: limit + 1 },
    { lane, signal, limits: { maxResultRows: limit + 1, maxResultBytes: (limit + 1) * sampleBytes } },
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
