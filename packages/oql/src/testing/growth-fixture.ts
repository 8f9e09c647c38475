import { type FixtureTable, rows, START, TENANT, TENANT_STRUCTURE } from './world.ts';

const START_MS = Number(START / 1_000_000n);
const MINUTE_MS = 60_000;

/** A point of a histogram, in minutes from the beginning of the hour. */
export interface GrowthPoint {
  readonly minute: number;
  readonly since: number;
  readonly count: number;
  readonly sum: number;
  readonly bounds: readonly number[];
  readonly explicit: readonly number[];
  readonly scale: number;
  readonly zero: number;
  readonly threshold: number;
  readonly offsets: readonly [positive: number, negative: number];
  readonly positive: readonly number[];
  readonly negative: readonly number[];
  /** An end-of-series marker, which is not a point. */
  readonly ended?: true;
}

export interface GrowthSeries {
  readonly metric: 'mixed' | 'powers';
  readonly group: string;
  readonly temporality: 'cumulative' | 'delta';
  readonly points: readonly GrowthPoint[];
}

/** Returns the same numbers on every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const BOUNDS = [
  [1, 2, 5, 10],
  [1, 4, 10],
  [-2, 0, 3],
];

function explicitSeries(n: number): GrowthSeries {
  const random = generator(n + 1);
  const isDelta = n % 4 === 3;
  const points: GrowthPoint[] = [];
  let bounds = BOUNDS[n % 3] ?? [];
  let counts = [...bounds, 0].map(() => random(5));
  // Some begin long before the hour, some in it, and some have no point before it although they began earlier.
  let since = n % 3 === 1 ? 0 : -500;
  for (let minute = n % 3 === 0 ? -4 : 1; minute < 60; minute += 1 + random(3)) {
    if (random(12) === 0) since = minute;
    const begins = isDelta || random(12) === 0 || since === minute;
    if (random(15) === 0) bounds = BOUNDS[random(3)] ?? [];
    if (begins || counts.length !== bounds.length + 1) counts = [...bounds, 0].map(() => random(4));
    else counts = counts.map((had) => had + random(4));
    const count = counts.reduce((all, one) => all + one, 0);
    const point = { minute, since: isDelta ? minute - 1 : since, count, sum: count * 3, bounds, explicit: counts };
    points.push({ ...point, ...NO_POWERS, ...(random(14) === 0 ? ENDED : {}) });
  }
  return { metric: 'mixed', group: n % 2 === 0 ? 'a' : 'b', temporality: isDelta ? 'delta' : 'cumulative', points };
}

const NO_POWERS = { scale: 0, zero: 0, threshold: 0, offsets: [0, 0], positive: [], negative: [] } as const;
const ENDED = { ended: true, count: 0, sum: 0, explicit: [], bounds: [] } as const;

function exponentialSeries(n: number): GrowthSeries {
  const random = generator(n + 1000);
  const isDelta = n % 4 === 3;
  const points: GrowthPoint[] = [];
  let scale = 2;
  let since = n % 3 === 1 ? 0 : -500;
  let zero = 0;
  let held = { positive: new Map<number, number>(), negative: new Map<number, number>() };
  const halved = (counts: Map<number, number>) => {
    const all = new Map<number, number>();
    for (const [index, count] of counts) all.set(index >> 1, (all.get(index >> 1) ?? 0) + count);
    return all;
  };
  for (let minute = n % 3 === 0 ? -4 : 1; minute < 60; minute += 1 + random(3)) {
    if (random(12) === 0) since = minute;
    if (isDelta || since === minute || random(12) === 0) {
      held = { positive: new Map(), negative: new Map() };
      zero = 0;
      scale = 2 - random(2);
    } else if (random(10) === 0 && scale > -1) {
      held = { positive: halved(held.positive), negative: halved(held.negative) };
      scale -= 1;
    }
    for (let i = 0; i < 3; i++) {
      const index = random(12) - 4;
      held.positive.set(index, (held.positive.get(index) ?? 0) + random(3));
      if (n % 2 === 0) held.negative.set(index, (held.negative.get(index) ?? 0) + random(2));
    }
    zero += random(2);
    const [positive, negative] = [dense(held.positive), dense(held.negative)];
    const count = [zero, ...positive.counts, ...negative.counts].reduce((all, one) => all + one, 0);
    points.push({
      minute,
      since: isDelta ? minute - 1 : since,
      count,
      sum: count * 2,
      bounds: [],
      explicit: [],
      scale,
      zero,
      threshold: n % 5 === 0 ? 0.01 : 0,
      offsets: [positive.offset, negative.offset],
      positive: positive.counts,
      negative: negative.counts,
    });
  }
  return { metric: 'powers', group: n % 3 === 0 ? 'a' : 'b', temporality: isDelta ? 'delta' : 'cumulative', points };
}

function dense(counts: ReadonlyMap<number, number>): { offset: number; counts: readonly number[] } {
  if (counts.size === 0) return { offset: 0, counts: [] };
  const [from, to] = [Math.min(...counts.keys()), Math.max(...counts.keys())];
  return { offset: from, counts: Array.from({ length: to - from + 1 }, (_, i) => counts.get(from + i) ?? 0) };
}

/** Histograms with every change that may happen to them, twelve of each kind. */
export const GROWTH_SERIES: readonly GrowthSeries[] = Array.from({ length: 12 }, (_, n) => n).flatMap((n) => [
  explicitSeries(n),
  exponentialSeries(n),
]);

const at = (minute: number) => START_MS + minute * MINUTE_MS;
const key = `${TENANT_STRUCTURE}, metric String, series UInt64`;

export const GROWTH_TABLES: readonly FixtureTable[] = [
  {
    insert: `INSERT INTO metric_series (workspace, project, environment, retention_days, day, metric, series, kind, temporality, monotonic, unit, service, resource, attributes)
      SELECT workspace, project, environment, 3650, arrayJoin([toDate(${START_MS / 1000} - 3600), toDate(${START_MS / 1000})]), metric, series, kind, temporality, false, '1', 'shop', map(), map('group', group)
      FROM format(JSONEachRow, '${key}, kind String, temporality String, group String', {data})`,
    rows: rows(
      GROWTH_SERIES.map(({ metric, temporality, group }, i) => ({
        ...TENANT,
        metric,
        series: i + 1,
        kind: metric === 'mixed' ? 'histogram' : 'exponential_histogram',
        temporality,
        group,
      })),
    ),
  },
  {
    insert: `INSERT INTO metric_histograms (workspace, project, environment, retention_days, metric, series, time, start_time, count, sum, no_recorded_value, bounds, bucket_counts, scale, zero_count, zero_threshold, positive_offset, positive_counts, negative_offset, negative_counts)
      SELECT workspace, project, environment, 3650, metric, series, fromUnixTimestamp64Milli(time, 'UTC'), fromUnixTimestamp64Milli(start_time, 'UTC'), count, sum, ended, bounds, bucket_counts, scale, zero_count, zero_threshold, positive_offset, positive_counts, negative_offset, negative_counts
      FROM format(JSONEachRow, '${key}, time Int64, start_time Int64, count UInt64, sum Float64, ended Bool, bounds Array(Float64), bucket_counts Array(UInt64), scale Int8, zero_count UInt64, zero_threshold Float64, positive_offset Int32, positive_counts Array(UInt64), negative_offset Int32, negative_counts Array(UInt64)', {data})`,
    rows: rows(
      GROWTH_SERIES.flatMap(({ metric, points }, i) =>
        points.map((point) => ({
          ...TENANT,
          metric,
          series: i + 1,
          time: at(point.minute),
          start_time: at(point.since),
          count: point.count,
          sum: point.sum,
          ended: point.ended ?? false,
          bounds: point.bounds,
          bucket_counts: point.explicit,
          scale: point.scale,
          zero_count: point.zero,
          zero_threshold: point.threshold,
          positive_offset: point.offsets[0],
          positive_counts: point.positive,
          negative_offset: point.offsets[1],
          negative_counts: point.negative,
        })),
      ),
    ),
  },
];
