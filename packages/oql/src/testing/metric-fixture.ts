import { type FixtureTable, NEIGHBOURS, rows, START, TENANT, TENANT_STRUCTURE, type Tenant } from './world.ts';

const MINUTE_MS = 60_000;
const START_MS = Number(START / 1_000_000n);

export interface SeriesRow extends Tenant {
  readonly metric: string;
  readonly series: number;
  readonly kind: string;
  readonly temporality: string;
  readonly monotonic: boolean;
  readonly unit: string;
  readonly service: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface PointRow extends Tenant {
  readonly metric: string;
  readonly series: number;
  readonly time: number;
  readonly start_time: number;
  readonly value: number;
}

export interface HistogramRow extends Tenant {
  readonly metric: string;
  readonly series: number;
  readonly time: number;
  readonly start_time: number;
  readonly count: number;
  readonly sum: number;
  readonly bounds: readonly number[];
  readonly bucket_counts: readonly number[];
  readonly scale: number;
  readonly zero_count: number;
  readonly positive_offset: number;
  readonly positive_counts: readonly number[];
  readonly negative_offset: number;
  readonly negative_counts: readonly number[];
}

interface Metrics {
  readonly series: readonly SeriesRow[];
  readonly points: readonly PointRow[];
  readonly histograms: readonly HistogramRow[];
}

const at = (minute: number) => START_MS + minute * MINUTE_MS;

function metricsOf(tenant: Tenant, base: number): Metrics {
  const series: SeriesRow[] = [];
  const points: PointRow[] = [];
  const histograms: HistogramRow[] = [];
  const add = (
    row: Omit<SeriesRow, keyof Tenant | 'series' | 'resource'>,
  ): { metric: string; series: number } & Tenant => {
    const id = base + series.length + 1;
    series.push({
      ...tenant,
      ...row,
      series: id,
      resource: { 'service.name': row.service, 'host.name': `${row.service}-0` },
    });
    return { ...tenant, metric: row.metric, series: id };
  };
  const sum = { kind: 'sum', monotonic: true, unit: '1' } as const;

  // A counter that began long before the window, 10 a minute, with a baseline point before the window.
  const steady = add({
    ...sum,
    metric: 'requests',
    temporality: 'cumulative',
    service: 'frontend',
    attributes: { route: '/a' },
  });
  for (let minute = -2; minute < 60; minute++) {
    points.push({ ...steady, time: at(minute), start_time: at(-1000), value: 10_000 + minute * 10 });
  }
  // A counter that restarts in minute 30, which its value and its start time show, 6 a minute.
  const restarted = add({
    ...sum,
    metric: 'requests',
    temporality: 'cumulative',
    service: 'checkout',
    attributes: { route: '/b' },
  });
  for (let minute = 0; minute < 60; minute++) {
    const since = minute < 30 ? 0 : 30;
    points.push({ ...restarted, time: at(minute), start_time: at(since), value: (minute - since) * 6 });
  }
  // A counter that is sent as differences, 5 a minute.
  const delta = add({ ...sum, metric: 'requests', temporality: 'delta', service: 'cart', attributes: { route: '/c' } });
  for (let minute = 0; minute < 60; minute++) {
    points.push({ ...delta, time: at(minute), start_time: at(minute - 1), value: 5 });
  }
  const queue = add({
    metric: 'queue.size',
    kind: 'gauge',
    temporality: 'unspecified',
    monotonic: false,
    unit: '{item}',
    service: 'cart',
    attributes: { queue: 'q1' },
  });
  for (let minute = 0; minute < 60; minute++) {
    points.push({ ...queue, time: at(minute), start_time: 0, value: minute % 10 });
  }
  const noExponents = {
    scale: 0,
    zero_count: 0,
    positive_offset: 0,
    positive_counts: [],
    negative_offset: 0,
    negative_counts: [],
  };
  // Explicit bounds, cumulative: each minute one value in each of (0, 10], (10, 100], and two in (100, 1000].
  for (const route of ['/x', '/y']) {
    const explicit = add({
      metric: 'latency',
      kind: 'histogram',
      temporality: 'cumulative',
      monotonic: false,
      unit: 'ms',
      service: 'frontend',
      attributes: { route },
    });
    for (let minute = -1; minute < 60; minute++) {
      const n = minute + 2;
      histograms.push({
        ...explicit,
        ...noExponents,
        time: at(minute),
        start_time: at(-2),
        count: 4 * n,
        sum: 1000 * n,
        bounds: [10, 100, 1000],
        bucket_counts: [n, n, 2 * n, 0],
      });
    }
  }
  // Exponential, delta, two scales: base 2 and base √2; all values of a minute lie in (4, 8].
  for (const scale of [0, 1]) {
    const exponential = add({
      metric: 'size',
      kind: 'exponential_histogram',
      temporality: 'delta',
      monotonic: false,
      unit: 'By',
      service: 'cart',
      attributes: { scale: String(scale) },
    });
    for (let minute = 0; minute < 60; minute++) {
      // Index i of scale s is (2^(i / 2^s), 2^((i + 1) / 2^s)]: 2 is (4, 8] at scale 0; 4 and 5 are at scale 1.
      histograms.push({
        ...exponential,
        time: at(minute),
        start_time: at(minute - 1),
        count: 10,
        sum: 60,
        bounds: [],
        bucket_counts: [],
        scale,
        zero_count: 0,
        positive_offset: scale === 0 ? 2 : 4,
        positive_counts: scale === 0 ? [10] : [5, 5],
        negative_offset: 0,
        negative_counts: [],
      });
    }
  }
  return { series, points, histograms };
}

const own = metricsOf(TENANT, 100);
const foreign = NEIGHBOURS.map((tenant, i) => metricsOf(tenant, 100_000 * (i + 1)));
export const SERIES = own.series;
export const POINTS = own.points;
export const HISTOGRAMS = own.histograms;

const times = 'time Int64, start_time Int64';
const key = `${TENANT_STRUCTURE}, metric String, series UInt64`;

export const METRIC_TABLES: readonly FixtureTable[] = [
  {
    insert: `INSERT INTO metric_series (workspace, project, environment, retention_days, day, metric, series, kind, temporality, monotonic, unit, service, resource, attributes)
      SELECT workspace, project, environment, 3650, arrayJoin([toDate(${START_MS / 1000} - 3600), toDate(${START_MS / 1000}), toDate(${START_MS / 1000} + 3600)]), metric, series, kind, temporality, monotonic, unit, service, resource, attributes
      FROM format(JSONEachRow, '${key}, kind String, temporality String, monotonic Bool, unit String, service String, resource Map(String, String), attributes Map(String, String)', {data})`,
    rows: rows([own, ...foreign].flatMap((metrics) => metrics.series)),
  },
  {
    insert: `INSERT INTO metric_points (workspace, project, environment, retention_days, metric, series, time, start_time, value)
      SELECT workspace, project, environment, 3650, metric, series, fromUnixTimestamp64Milli(time, 'UTC'), fromUnixTimestamp64Milli(start_time, 'UTC'), value
      FROM format(JSONEachRow, '${key}, ${times}, value Float64', {data})`,
    rows: rows([own, ...foreign].flatMap((metrics) => metrics.points)),
  },
  {
    insert: `INSERT INTO metric_histograms (workspace, project, environment, retention_days, metric, series, time, start_time, count, sum, bounds, bucket_counts, scale, zero_count, positive_offset, positive_counts, negative_offset, negative_counts)
      SELECT workspace, project, environment, 3650, metric, series, fromUnixTimestamp64Milli(time, 'UTC'), fromUnixTimestamp64Milli(start_time, 'UTC'), count, sum, bounds, bucket_counts, scale, zero_count, positive_offset, positive_counts, negative_offset, negative_counts
      FROM format(JSONEachRow, '${key}, ${times}, count UInt64, sum Float64, bounds Array(Float64), bucket_counts Array(UInt64), scale Int8, zero_count UInt64, positive_offset Int32, positive_counts Array(UInt64), negative_offset Int32, negative_counts Array(UInt64)', {data})`,
    rows: rows([own, ...foreign].flatMap((metrics) => metrics.histograms)),
  },
];
