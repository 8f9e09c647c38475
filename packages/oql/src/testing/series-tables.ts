import { type FixtureTable, rows, START, TENANT, TENANT_STRUCTURE, type Tenant } from './world.ts';

/** A point of a number, in seconds from the beginning of the hour. */
export interface NumberPoint {
  readonly at: number;
  /** After the millisecond of `at`. */
  readonly nanos?: number;
  readonly value: number;
  /** The value, if it is an integer beyond 2^53. */
  readonly integer?: bigint;
  /** The start time of the count, in seconds; absent if the source does not send it. */
  readonly since?: number;
  readonly sinceNanos?: number;
}

/** A point of a histogram or summary, in seconds from the beginning of the hour. */
export interface HistogramPoint {
  readonly at: number;
  readonly nanos?: number;
  readonly since?: number;
  readonly count: number;
  readonly sum?: number | null;
  readonly min?: number | null;
  readonly max?: number | null;
  readonly bounds?: readonly number[];
  readonly buckets?: readonly number[];
  readonly scale?: number;
  readonly zero?: number;
  readonly threshold?: number;
  readonly positive?: readonly [offset: number, counts: readonly number[]];
  readonly negative?: readonly [offset: number, counts: readonly number[]];
  readonly quantiles?: Readonly<Record<string, number>>;
}

interface About {
  readonly metric: string;
  readonly kind: 'gauge' | 'sum' | 'histogram' | 'exponential_histogram' | 'summary';
  readonly temporality?: 'unspecified' | 'delta' | 'cumulative';
  readonly attributes?: Readonly<Record<string, string>>;
  readonly tenant?: Tenant;
}
export type NumberSeries = About & { readonly points: readonly NumberPoint[] };
export type HistogramSeries = About & { readonly histograms: readonly HistogramPoint[] };
export type SeriesOfPoints = NumberSeries | HistogramSeries;

const START_MS = Number(START / 1_000_000n);
const DAY_SECONDS = 86_400;
/** JSON has no NaN or infinities, so these are strings. */
const number = (value: number) => (Number.isFinite(value) ? value : String(value));
const at = (seconds: number) => Math.round(START_MS + seconds * 1000);
const key = `${TENANT_STRUCTURE}, metric String, series UInt64`;
const times = 'time Int64, nanos UInt32, start_time Int64, start_nanos UInt32';

/**
 * The tables of metrics with these series. Each list of `copies` is one insert, so points of the same series and time in
 * two lists are in two parts.
 */
export function seriesTables(...copies: readonly (readonly SeriesOfPoints[])[]): readonly FixtureTable[] {
  const ids = new Map<string, number>();
  const idOf = ({ metric, kind, temporality, attributes, tenant }: About) => {
    const name = JSON.stringify([tenant, metric, kind, temporality, Object.entries(attributes ?? {}).sort()]);
    const known = ids.get(name) ?? ids.size + 1;
    ids.set(name, known);
    return known;
  };
  return copies.flatMap((all) => tablesOf(all, idOf));
}

function tablesOf(all: readonly SeriesOfPoints[], idOf: (about: About) => number): readonly FixtureTable[] {
  const own = (series: SeriesOfPoints) => ({
    ...(series.tenant ?? TENANT),
    metric: series.metric,
    series: idOf(series),
  });
  const seconds = START_MS / 1000;
  return [
    {
      insert: `INSERT INTO metric_series (workspace, project, environment, retention_days, day, metric, series, kind, temporality, monotonic, unit, service, resource, attributes)
      SELECT workspace, project, environment, 3650, arrayJoin([toDate(${seconds - DAY_SECONDS}), toDate(${seconds}), toDate(${seconds + DAY_SECONDS})]), metric, series, kind, temporality, kind = 'sum', '1', 'shop', map('service.name', 'shop'), attributes
      FROM format(JSONEachRow, '${key}, kind String, temporality String, attributes Map(String, String)', {data})`,
      rows: rows(
        all.map((series) => ({
          ...own(series),
          kind: series.kind,
          temporality: series.temporality ?? (series.kind === 'gauge' ? 'unspecified' : 'cumulative'),
          attributes: series.attributes ?? {},
        })),
      ),
    },
    {
      insert: `INSERT INTO metric_points (workspace, project, environment, retention_days, metric, series, time, nanos, start_time, start_nanos, value, integer)
      SELECT workspace, project, environment, 3650, metric, series, fromUnixTimestamp64Milli(time, 'UTC'), nanos, fromUnixTimestamp64Milli(start_time, 'UTC'), start_nanos, value, integer
      FROM format(JSONEachRow, '${key}, ${times}, value Float64, integer Int64', {data})`,
      rows: rows(
        all.flatMap((series) =>
          'points' in series
            ? series.points.map((point) => ({
                ...own(series),
                time: at(point.at),
                nanos: point.nanos ?? 0,
                start_time: point.since === undefined ? 0 : at(point.since),
                start_nanos: point.sinceNanos ?? 0,
                value: number(point.value),
                integer: String(point.integer ?? 0n),
              }))
            : [],
        ),
      ),
    },
    {
      insert: `INSERT INTO metric_histograms (workspace, project, environment, retention_days, metric, series, time, nanos, start_time, start_nanos, count, sum, min, max, bounds, bucket_counts, scale, zero_count, zero_threshold, positive_offset, positive_counts, negative_offset, negative_counts, quantiles, quantile_values)
      SELECT workspace, project, environment, 3650, metric, series, fromUnixTimestamp64Milli(time, 'UTC'), nanos, fromUnixTimestamp64Milli(start_time, 'UTC'), start_nanos, count, sum, min, max, bounds, bucket_counts, scale, zero_count, zero_threshold, positive_offset, positive_counts, negative_offset, negative_counts, quantiles, quantile_values
      FROM format(JSONEachRow, '${key}, ${times}, count UInt64, sum Nullable(Float64), min Nullable(Float64), max Nullable(Float64), bounds Array(Float64), bucket_counts Array(UInt64), scale Int8, zero_count UInt64, zero_threshold Float64, positive_offset Int32, positive_counts Array(UInt64), negative_offset Int32, negative_counts Array(UInt64), quantiles Array(Float64), quantile_values Array(Float64)', {data})`,
      rows: rows(
        all.flatMap((series) =>
          'histograms' in series
            ? series.histograms.map((point) => ({
                ...own(series),
                time: at(point.at),
                nanos: point.nanos ?? 0,
                start_time: point.since === undefined ? 0 : at(point.since),
                start_nanos: 0,
                count: point.count,
                sum: point.sum ?? null,
                min: point.min ?? null,
                max: point.max ?? null,
                bounds: (point.bounds ?? []).map(number),
                bucket_counts: point.buckets ?? [],
                scale: point.scale ?? 0,
                zero_count: point.zero ?? 0,
                zero_threshold: point.threshold ?? 0,
                positive_offset: point.positive?.[0] ?? 0,
                positive_counts: point.positive?.[1] ?? [],
                negative_offset: point.negative?.[0] ?? 0,
                negative_counts: point.negative?.[1] ?? [],
                quantiles: Object.keys(point.quantiles ?? {}).map(Number),
                quantile_values: Object.values(point.quantiles ?? {}).map(number),
              }))
            : [],
        ),
      ),
    },
  ].filter(({ rows: data }) => data.length > 0);
}
