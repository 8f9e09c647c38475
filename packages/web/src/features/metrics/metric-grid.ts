import { type BucketWidth, bucketWidth } from '../../telemetry/bucket-width.ts';
import type { Result } from '../../telemetry/oql.ts';
import type { MetricKind } from './metric-query.ts';

/** A metric of the list. */
export interface ListedMetric extends MetricKind {
  readonly name: string;
}

/** A small chart of the grid. */
export interface GridChart {
  readonly metric: ListedMetric;
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  readonly score: number;
}

/** Buckets of a small chart. */
const BUCKETS = 40;
/** The most metrics that one query of the grid reads. */
const CHUNK = 50;
/** The most metrics that the grid draws and compares; the list of prefixes leads to the others. */
export const MOST_METRICS = 300;

/** The most metrics that are listed. */
export const LIST_ROWS = 10_000;
export const listQuery = `metrics | fields name, kind, unit, monotonic | sort name | limit ${LIST_ROWS}`;

/** The answer to `listQuery`. A metric that was sent with several kinds is listed with one of them. */
export function listedMetrics({ rows }: Pick<Result, 'rows'>): ListedMetric[] {
  const found = new Map<string, ListedMetric>();
  for (const [of, sentKind, sentUnit, grows] of rows) {
    const name = String(of);
    const { kind, unit } = found.get(name) ?? { kind: String(sentKind), unit: String(sentUnit ?? '') };
    const monotonic = grows === true || found.get(name)?.monotonic === true;
    found.set(name, { name, kind, unit, monotonic });
  }
  return [...found.values()];
}

/** The most rows of an answer to one of the queries of the grid. */
export const GRID_ROWS = 20_000;

export type Shape = 'value' | 'rate' | 'p95';

/** What a small chart draws: the mean of a gauge, the growth of a counter per second, the p95 of a histogram. */
export function shapeOf({ kind, monotonic }: MetricKind): Shape {
  if (kind === 'histogram' || kind === 'exponential_histogram') return 'p95';
  return kind === 'sum' && monotonic ? 'rate' : 'value';
}

const SHAPES: Readonly<Record<Shape, string>> = { value: 'avg', rate: 'rate | sum', p95: 'increase | p95' };

/** The buckets of the small charts of a window. */
export function gridBucket(windowMs: number): BucketWidth {
  return bucketWidth(windowMs, BUCKETS);
}

/** The queries that draw metrics, a few dozen at a time. A summary has no value to draw. */
export function gridQueries(metrics: readonly ListedMetric[], windowMs: number): string[] {
  const bucket = gridBucket(windowMs).text;
  const queries: string[] = [];
  for (const shape of ['value', 'rate', 'p95'] as const) {
    const names = metrics
      .filter((metric) => metric.kind !== 'summary' && shapeOf(metric) === shape)
      .map(({ name }) => name);
    for (let at = 0; at < names.length; at += CHUNK)
      queries.push(
        `metric =~ ${matching(names.slice(at, at + CHUNK))} | ${SHAPES[shape]} by metric.name, bucket(${bucket})`,
      );
  }
  return queries;
}

/** A regular expression for exactly these names, as a string of OQL. */
function matching(names: readonly string[]): string {
  return JSON.stringify(`^(${names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})$`);
}

const LAST = 3;
const LEAST_BEFORE = 6;
const MOST_SCORE = 100;

/**
 * How unusual the newest values of a series are: the distance of the median of the last three from the median of those before, in
 * standard deviations estimated from the median absolute deviation (1.4826 · MAD), as in the modified z-score of Iglewicz and Hoaglin
 * (1993). They call a score beyond 3.5 an outlier. Medians do not follow single peaks, as means and standard deviations do. Where more
 * than half of the values before are equal, the mean absolute deviation (1.2533 · AD) takes the place of the MAD; where all are, any
 * change has the highest score, 100. Series with fewer than nine values have none, 0.
 */
export function unusualness(values: readonly (number | null)[]): number {
  const known = values.filter((value): value is number => value !== null);
  const [before, last] = [known.slice(0, -LAST), known.slice(-LAST)];
  if (before.length < LEAST_BEFORE) return 0;
  const usual = median(before);
  const distance = Math.abs(median(last) - usual);
  if (distance === 0) return 0;
  const deviations = before.map((value) => Math.abs(value - usual));
  const spread =
    1.4826 * median(deviations) || (1.2533 * deviations.reduce((sum, one) => sum + one, 0)) / before.length;
  return spread === 0 ? MOST_SCORE : Math.min(MOST_SCORE, distance / spread);
}

/** A score beyond this is called unusual. */
export const UNUSUAL = 3.5;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** The most unusual first, then by name. */
export function byScore(charts: readonly GridChart[]): GridChart[] {
  return charts.toSorted((a, b) => b.score - a.score || a.metric.name.localeCompare(b.metric.name));
}

/** Metrics that share the beginning of their names. */
export interface Prefix {
  /** The name up to here, such as `http.server`. */
  readonly path: string;
  /** What it adds to the prefix above, such as `server`. */
  readonly text: string;
  readonly count: number;
  readonly below: readonly Prefix[];
}

/**
 * The prefixes of names, split at dots, that at least two metrics share; `http.server.request` is one level if all metrics of `http` begin
 * like that.
 */
export function prefixTree(names: readonly string[], above = ''): Prefix[] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const rest = name.slice(above === '' ? 0 : above.length + 1);
    const dot = rest.indexOf('.');
    if (dot === -1) continue;
    const path = above === '' ? rest.slice(0, dot) : `${above}.${rest.slice(0, dot)}`;
    groups.set(path, [...(groups.get(path) ?? []), name]);
  }
  return [...groups]
    .filter(([, group]) => group.length > 1)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([path, group]): Prefix => {
      const below = prefixTree(group, path);
      const only = below.length === 1 && below[0]?.count === group.length ? below[0] : undefined;
      const shown = only?.path ?? path;
      return {
        path: shown,
        text: above === '' ? shown : shown.slice(above.length + 1),
        count: group.length,
        below: only?.below ?? below,
      };
    });
}

export function hasPrefix(name: string, prefix: string | undefined): boolean {
  return prefix === undefined || name === prefix || name.startsWith(`${prefix}.`);
}
