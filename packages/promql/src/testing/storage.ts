import { bucketsOf } from '../histogram/buckets.ts';
import { CUSTOM_BUCKETS, type NativeHistogram } from '../histogram/native-histogram.ts';
import { isReset } from '../histogram/reset.ts';
import { type LabelMatcher, type Labels, METRIC_NAME } from '../labels.ts';
import { compilePattern } from '../pattern.ts';
import { type SampleSeries, type SampleSource, type SelectRequest, setStale } from '../samples.ts';
import type { Point } from './notation.ts';
import type { Command } from './script.ts';

interface Stored {
  readonly labels: Labels;
  readonly points: Map<number, Point>;
}

/** Samples in memory. */
export class TestStorage implements SampleSource {
  readonly #series = new Map<string, Stored>();

  clear(): void {
    this.#series.clear();
  }

  load({ stepMs, series, withCustomBuckets }: Extract<Command, { kind: 'load' }>): void {
    for (const { labels, points } of series)
      for (const [i, point] of points.entries()) this.#put(labels, i * stepMs, point);
    if (withCustomBuckets)
      for (const { labels, time, histogram } of customBuckets(series, stepMs))
        this.#put(labels, time, { histogram, saysReset: false });
  }

  #put(labels: Labels, time: number, point: Point): void {
    if (point === undefined) return;
    const key = JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)));
    let stored = this.#series.get(key);
    if (stored === undefined) {
      stored = { labels, points: new Map() };
      this.#series.set(key, stored);
    }
    stored.points.set(time, point);
  }

  async select({ matchers, start, end }: SelectRequest): Promise<{ series: SampleSeries[]; warnings: string[] }> {
    const found = [...this.#series.values()].filter(({ labels }) =>
      matchers.every((matcher) => matches(labels, matcher)),
    );
    return { series: found.flatMap((one) => seriesBetween(one, start, end)), warnings: [] };
  }
}

function matches(labels: Labels, { name, op, value }: LabelMatcher): boolean {
  const actual = labels.get(name) ?? '';
  if (op === '=' || op === '!=') return (actual === value) === (op === '=');
  const pattern = compilePattern(value);
  return typeof pattern !== 'string' && pattern.matches(actual) === (op === '=~');
}

function seriesBetween({ labels, points }: Stored, start: number, end: number): SampleSeries[] {
  const all = withResets([...points].sort(([a], [b]) => a - b)).filter(([time]) => time > start && time <= end);
  if (all.length === 0) return [];
  const hasHistograms = all.some(([, point]) => typeof point === 'object');
  const values = new Float64Array(all.length);
  all.forEach(([, point], i) => {
    values[i] = typeof point === 'number' ? point : Number.NaN;
    if (point === 'stale') setStale(values, i);
  });
  return [
    {
      labels,
      times: Float64Array.from(all, ([time]) => time),
      values,
      ...(hasHistograms && {
        histograms: all.map(([, point]) => (typeof point === 'object' ? point.histogram : undefined)),
      }),
    },
  ];
}

/** Prometheus' storage notes for each histogram of a counter whether it was reset. */
function withResets(points: readonly (readonly [number, Point])[]): (readonly [number, Point])[] {
  let before: NativeHistogram | undefined;
  return points.map(([time, point]) => {
    if (typeof point !== 'object') {
      before = undefined;
      return [time, point] as const;
    }
    const { histogram } = point;
    const previous = before;
    before = histogram;
    if (previous === undefined || histogram.counterReset === 'gauge' || histogram.counterReset === 'reset')
      return [time, point] as const;
    const hasReset = isReset({ ...histogram, counterReset: 'unknown' }, previous);
    const counterReset = hasReset ? ('unknown' as const) : ('not-reset' as const);
    return [time, { ...point, histogram: { ...histogram, counterReset } }] as const;
  });
}

interface Converted {
  readonly labels: Labels;
  readonly time: number;
  readonly histogram: NativeHistogram;
}

/** Classic histograms as native ones with the same bounds. */
export function customBuckets(series: Extract<Command, { kind: 'load' }>['series'], stepMs: number): Converted[] {
  const found = new Map<
    string,
    { labels: Labels; time: number; buckets: [number, number][]; count?: number; sum: number }
  >();
  for (const { labels, points } of series) {
    const [, base, suffix] = /^(.*)_(bucket|count|sum)$/.exec(labels.get(METRIC_NAME) ?? '') ?? [];
    if (base === undefined) continue;
    const own = new Map([...labels].filter(([name]) => name !== 'le'));
    own.set(METRIC_NAME, base);
    const bound = Number((labels.get('le') ?? '').replace(/^\+?Inf$/i, 'Infinity'));
    points.forEach((point, i) => {
      if (typeof point !== 'number') return;
      const key = JSON.stringify([[...own].sort(), i]);
      let entry = found.get(key);
      if (entry === undefined) {
        entry = { labels: own, time: i * stepMs, buckets: [], sum: 0 };
        found.set(key, entry);
      }
      if (suffix === 'bucket' && !Number.isNaN(bound)) entry.buckets.push([bound, point]);
      else if (suffix === 'count') entry.count = point;
      else if (suffix === 'sum') entry.sum = point;
    });
  }
  return [...found.values()].map(({ labels, time, buckets, count, sum }) => ({
    labels,
    time,
    histogram: customHistogram(buckets, count, sum),
  }));
}

function customHistogram(buckets: [number, number][], count: number | undefined, sum: number): NativeHistogram {
  // Of buckets with the same bound, written differently, the first counts.
  const rising = buckets
    .sort(([a], [b]) => a - b)
    .filter(([bound], i, sorted) => i === 0 || sorted[i - 1]?.[0] !== bound);
  const total = count ?? rising.at(-1)?.[1] ?? 0;
  const bounds = rising.filter(([bound]) => Number.isFinite(bound));
  const counts = [...bounds.map(([, cumulative]) => cumulative), total].map(
    (cumulative, i, all) => cumulative - (all[i - 1] ?? 0),
  );
  const kept = counts.flatMap((one, i) => (one === 0 ? [] : [i]));
  return {
    schema: CUSTOM_BUCKETS,
    counterReset: 'unknown',
    count: total,
    sum,
    zeroThreshold: 0,
    zeroCount: 0,
    positive: bucketsOf(
      kept,
      kept.map((i) => counts[i] ?? 0),
    ),
    negative: bucketsOf([], []),
    customValues: Float64Array.from(bounds, ([bound]) => bound),
  };
}
