import { Groups } from './groups.ts';
import { growth } from './growth.ts';
import { compareKeys, type OrderedKey, orderedKey } from './label-order.ts';
import { labelKey, meets } from './labels.ts';
import { type OfBuckets, ofBuckets } from './of-buckets.ts';
import { placeOf, type Span, spanOf } from './points.ts';
import { prometheusRates } from './prometheus-rate.ts';
import {
  type RecentAnswer,
  type RecentBuckets,
  type RecentLabel,
  type RecentQuestion,
  type RecentSeries,
  timesSince,
} from './question.ts';

/**
 * The rows that the compiled statement would return for these points, in its order. Undefined if the answer cannot be known from
 * number points, or would depend on the order in which the engine adds them: then the engine has to be asked.
 * @param series all series of the metric with a row in `metric_series`, also those without number points
 * @param limit most rows; a caller asks for one more than it returns, to know whether there are more
 */
export function answerRecent(
  question: RecentQuestion,
  series: Iterable<RecentSeries>,
  limit: number,
): RecentAnswer | undefined {
  const { condition, keys, aggregates, buckets } = question;
  const labels = keys.filter((key): key is RecentLabel => key !== 'bucket');
  const groups = new Groups(buckets.count, aggregates);
  const groupOf = new Map<string, number>();
  const groupKeys: OrderedKey[][] = [];
  const scratch = ofBuckets(question.fn.kind === 'values' ? 0 : buckets.count);
  let [originMs, times] = [0, timesSince(question, 0)];
  let points = 0;
  if (keys.length === 0) groups.makeRoom(1);
  for (const one of series) {
    if (!isInScope(one, question) || (condition && !meets(one, condition))) continue;
    if (one.originMs !== originMs) [originMs, times] = [one.originMs, timesSince(question, one.originMs)];
    const { fn } = times;
    if (!isOfNumbers(one, fn.kind === 'values')) return undefined;
    const span = spanOf(one.times, one.count, times.fromMs, times.toMs);
    if (span.begin === span.end) continue;
    points += span.end - span.begin;

    const found = labels.map((label) => orderedKey(labelKey(one, label), label.kind === 'attribute'));
    if (!found.every((key) => key !== undefined)) return undefined;
    const name = nameOf(found);
    let group = groupOf.get(name);
    if (group === undefined) {
      group = groupOf.size;
      groupOf.set(name, group);
      groupKeys.push(found);
      groups.makeRoom(groupOf.size);
    }
    if (fn.kind === 'values') addValues(one, span, times.buckets, groups, group);
    else {
      scratch.values.fill(0);
      scratch.has.fill(0);
      if (fn.kind === 'prometheus') prometheusRates(one, span, fn, times.buckets, scratch);
      else if (!growth(one, span, fn, times.buckets, scratch)) return undefined;
      addBuckets(scratch, groups, group);
    }
    if (!groups.sound) return undefined;
  }
  return { rows: rowsOf(question, groups, groupKeys, limit), points };
}

function isInScope(series: RecentSeries, { project, environment, days }: RecentQuestion): boolean {
  if (project !== undefined && series.project !== project) return false;
  if (environment !== undefined && series.environment !== environment) return false;
  if (!days) return true;
  for (let day = days.from; day <= days.to; day++) if (series.days.has(day)) return true;
  return false;
}

/** The growth of a series of delta temporality has rules of its own. */
function isOfNumbers({ kind, temporality }: RecentSeries, ofAnyTemporality: boolean): boolean {
  return (kind === 'gauge' || kind === 'sum') && (ofAnyTemporality || temporality !== 'delta');
}

/** Different keys have different names. */
function nameOf(keys: readonly OrderedKey[]): string {
  const [only] = keys;
  if (keys.length === 1 && only) return only.key === null ? '' : `=${only.key}`;
  return keys.map(({ key }) => (key === null ? '-' : `${key.length}:${key}`)).join('');
}

function addValues(
  { times, values }: RecentSeries,
  { begin, end }: Span,
  { firstMs, stepMs }: RecentBuckets,
  groups: Groups,
  group: number,
): void {
  let [at, points] = [begin, 0];
  while (at < end) {
    const bucket = stepMs === null ? 0 : Math.floor(((times[at] ?? 0) - firstMs) / stepMs);
    const next =
      stepMs === null ? end : placeOf(times, { begin: at + 1, end }, firstMs + (bucket + 1) * stepMs, at + points);
    groups.add(group, bucket, values, at, next);
    points = next - at;
    at = next;
  }
}

function addBuckets({ values, has }: OfBuckets, groups: Groups, group: number): void {
  for (let bucket = 0; bucket < has.length; bucket++) {
    if (has[bucket] === 1) groups.add(group, bucket, values, bucket, bucket + 1);
  }
}

/** Rows by their bucket, then by their labels; only rows without keys exist for no points. */
function rowsOf(
  { keys, aggregates, buckets }: RecentQuestion,
  groups: Groups,
  groupKeys: readonly (readonly OrderedKey[])[],
  limit: number,
): RecentAnswer['rows'] {
  const width = keys.length + aggregates.length;
  const rows: RecentAnswer['rows'] = [];
  if (keys.length === 0) {
    const row = rowOf(width);
    groups.write(row, 0, 0, 0);
    return limit > 0 ? [row] : [];
  }
  const order = groupKeys.map((_, group) => group).sort((a, b) => compareGroups(groupKeys[a], groupKeys[b]));
  for (let bucket = 0; bucket < buckets.count; bucket++) {
    const start = keys.includes('bucket') ? timeText(buckets.firstMs + bucket * (buckets.stepMs ?? 0), buckets) : null;
    for (const group of order) {
      if (!groups.has(group, bucket)) continue;
      if (rows.length >= limit) return rows;
      const row = rowOf(width);
      let label = 0;
      for (const [i, key] of keys.entries()) {
        row[i] = key === 'bucket' ? start : (groupKeys[group]?.[label++]?.key ?? null);
      }
      groups.write(row, keys.length, group, bucket);
      rows.push(row);
    }
  }
  return rows;
}

/** Of its final length: an array that grows reserves four times as much. */
function rowOf(width: number): RecentAnswer['rows'][number] {
  return new Array(width).fill(null);
}

function compareGroups(a: readonly OrderedKey[] = [], b: readonly OrderedKey[] = []): number {
  for (const [i, key] of a.entries()) {
    const other = b[i];
    const order = other ? compareKeys(key, other) : 0;
    if (order !== 0) return order;
  }
  return 0;
}

/** As the engine writes it: with nanoseconds where buckets are not of whole seconds. */
function timeText(ms: number, { stepMs }: RecentBuckets): string {
  const text = new Date(ms).toISOString().replace('T', ' ');
  return (stepMs ?? 0) % 1000 === 0 ? text.slice(0, 19) : `${text.slice(0, 23)}000000`;
}
