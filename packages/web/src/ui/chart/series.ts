/** One line or row of bars of a chart; `values` correspond to the chart's times, null if nothing was measured. */
export interface Series {
  label: string;
  colour: string;
  values: readonly (number | null)[];
  /** Lengths in pixels of the dashes of a line and of the gaps between them; a solid line by default. */
  dash?: readonly number[];
}

/** Series that share their times (epoch milliseconds, ascending). */
export interface SeriesData {
  times: readonly number[];
  series: readonly Omit<Series, 'colour'>[];
}

export interface Point {
  time: number;
  label: string;
  value: number | null;
}

/** The most buckets of a chart after missing ones are filled in. */
const MAX_FILLED = 20_000;

/**
 * Aligns points on common times. Missing buckets become nulls, so that a gap is drawn as a gap and not bridged by a
 * line. `step` is the width of a bucket in milliseconds; by default the smallest distance between two times. Series
 * keep the order of their first point; of two points at one time, the later wins.
 */
export function alignSeries(points: readonly Point[], step?: number): SeriesData {
  const seen = [...new Set(points.map((point) => point.time))].sort((a, b) => a - b);
  const times = fillTimes(seen, step ?? smallestStep(seen));
  const at = new Map(times.map((time, index) => [time, index]));
  const byLabel = new Map<string, (number | null)[]>();
  for (const { time, label, value } of points) {
    let values = byLabel.get(label);
    if (!values) {
      values = new Array<number | null>(times.length).fill(null);
      byLabel.set(label, values);
    }
    const index = at.get(time);
    if (index !== undefined) values[index] = value;
  }
  return { times, series: [...byLabel].map(([label, values]) => ({ label, values })) };
}

function smallestStep(times: readonly number[]): number {
  let step = Number.POSITIVE_INFINITY;
  for (let i = 1; i < times.length; i++) step = Math.min(step, (times[i] ?? 0) - (times[i - 1] ?? 0));
  return step;
}

function fillTimes(times: readonly number[], step: number): number[] {
  const first = times[0];
  const last = times.at(-1);
  if (first === undefined || last === undefined || !Number.isFinite(step) || step <= 0) return [...times];
  if ((last - first) / step > MAX_FILLED) return [...times];
  const filled: number[] = [];
  for (const time of times) {
    let next = (filled.at(-1) ?? time - step) + step;
    // Half a step of tolerance: months, and days with a clock change, vary in width.
    while (next < time - step / 2) {
      filled.push(next);
      next += step;
    }
    filled.push(time);
  }
  return filled;
}

export interface HoverEntry {
  label: string;
  colour: string;
  value: number;
}

/** What a tooltip lists at one time: every series with a value there, the largest first. */
export function hoverEntries(series: readonly Series[], index: number): HoverEntry[] {
  const entries: HoverEntry[] = [];
  for (const { label, colour, values } of series) {
    const value = values[index];
    if (value !== null && value !== undefined) entries.push({ label, colour, value });
  }
  return entries.sort((a, b) => b.value - a.value || a.label.localeCompare(b.label));
}

/** Indexes of points without neighbors, which a line cannot show, so they are drawn as dots. */
export function isolatedPoints(values: ArrayLike<number | null | undefined>): number[] {
  const found: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (values[i] != null && values[i - 1] == null && values[i + 1] == null) found.push(i);
  }
  return found;
}

export interface SeriesSummary {
  last: number | null;
  max: number | null;
  mean: number | null;
  sum: number | null;
}

/** Last, largest and mean value of a series, and the sum of all; nulls are ignored. */
export function summarize(values: readonly (number | null)[]): SeriesSummary {
  let last: number | null = null;
  let max: number | null = null;
  let sum = 0;
  let count = 0;
  for (const value of values) {
    if (value === null) continue;
    last = value;
    max = max === null ? value : Math.max(max, value);
    sum += value;
    count += 1;
  }
  return { last, max, mean: count === 0 ? null : sum / count, sum: count === 0 ? null : sum };
}

/**
 * The upper edges of stacked series: each is on top of the sum of those before it. A gap counts as zero in a stack; if
 * no series has a value, the result is null.
 */
export function stackSeries(series: readonly Series[]): Series[] {
  const length = series[0]?.values.length ?? 0;
  const sums = new Array<number>(length).fill(0);
  const present = Array.from({ length }, (_, index) => series.some((entry) => entry.values[index] != null));
  return series.map((entry) => ({
    ...entry,
    values: sums.map((_, index) => {
      sums[index] = (sums[index] ?? 0) + (entry.values[index] ?? 0);
      return present[index] ? (sums[index] ?? 0) : null;
    }),
  }));
}
