import { type Column, clear, columnOf, Groups, growth, prometheusRate, type Span, spanOf } from '@fanion/series';
import { compareKeys, type GroupKey, groupKey, meets } from './labels.ts';
import type {
  RecentAggregate,
  RecentAnswer,
  RecentLabel,
  RecentMetric,
  RecentQuestion,
  RecentSeries,
} from './question.ts';

/** Most groups times buckets, of up to 48 bytes each. */
const MOST_CELLS = 1_000_000;

/** Times count from the origin of the points. */
type Times = Pick<RecentQuestion, 'fromMs' | 'toMs' | 'buckets' | 'fn'>;

/**
 * The rows that the compiled statement would return for these points, in its order. Undefined if the answer cannot be known from
 * them: then the engine has to be asked.
 * @param limit most rows; a caller asks for one more than it returns, to know whether there are more
 */
export function answerRecent(question: RecentQuestion, metric: RecentMetric, limit: number): RecentAnswer | undefined {
  const { conditions, keys, aggregates } = question;
  const times = timesSince(question, metric.originMs);
  const labels = keys.filter((key): key is RecentLabel => key !== 'bucket');
  const sums = aggregates.includes('sum') || aggregates.includes('avg');
  const extremes = aggregates.includes('min') || aggregates.includes('max');
  const groups = new Groups(times.buckets.count, { sums, extremes });
  const groupOf = new Map<string, number>();
  const groupKeys: GroupKey[][] = [];
  const column = columnOf(times.fn.kind === 'values' ? 0 : times.buckets.count);
  let points = 0;
  if (keys.length === 0) groups.makeRoom(1);
  for (const one of metric.series) {
    if (!isInScope(one, question) || !conditions.every((condition) => meets(one, condition))) continue;
    const span = spanOf(one, times.fromMs, times.toMs);
    if (span.begin === span.end) continue;
    points += span.end - span.begin;

    const found = labels.map((label) => groupKey(one, label));
    if (!found.every((key) => key !== undefined)) return undefined;
    const name = JSON.stringify(found.map(({ key }) => key));
    let group = groupOf.get(name);
    if (group === undefined) {
      group = groupOf.size;
      groupOf.set(name, group);
      groupKeys.push(found);
      if (groupOf.size * times.buckets.count > MOST_CELLS) return undefined;
      groups.makeRoom(groupOf.size);
    }
    if (times.fn.kind === 'values') groups.addSamples(group, one, span, times.buckets);
    else {
      clear(column);
      if (!evaluate(one, span, times, column)) return undefined;
      groups.addColumn(group, column);
    }
  }
  return { rows: rowsOf(question, groups, groupKeys, limit), points };
}

function timesSince({ fromMs, toMs, buckets, fn }: Times, originMs: number): Times {
  return {
    fromMs: fromMs - originMs,
    toMs: toMs - originMs,
    buckets: { ...buckets, firstMs: buckets.firstMs - originMs, endMs: buckets.endMs - originMs },
    fn:
      fn.kind === 'growth'
        ? { ...fn, fromMs: fn.fromMs - originMs, ...(fn.cutMs !== undefined && { cutMs: fn.cutMs - originMs }) }
        : fn,
  };
}

function isInScope({ project, labels }: RecentSeries, scope: RecentQuestion): boolean {
  if (scope.project !== undefined && project !== scope.project) return false;
  return scope.environment === undefined || (labels.own.texts.get('environment') ?? '') === scope.environment;
}

/** Writes what a series has in each bucket. False if the engine has to be asked. */
function evaluate(one: RecentSeries, span: Span, { fn, buckets }: Times, column: Column): boolean {
  const { firstMs, stepMs, count, endMs } = buckets;
  if (fn.kind === 'growth') {
    // The engine looks for the point before the range in more of the past than is here.
    if ((one.times[span.begin] ?? 0) >= fn.fromMs && (one.starts[span.begin] ?? 0) < fn.fromMs) return false;
    growth(one, span, fn, buckets, column);
  } else if (fn.kind === 'prometheus') {
    const whole = Math.floor((endMs - firstMs) / stepMs);
    prometheusRate(one, span, fn, { firstMs: firstMs + stepMs, stepMs, count: whole }, column);
    const last = { values: column.values.subarray(whole), has: column.has.subarray(whole) };
    prometheusRate(one, span, fn, { firstMs: endMs, stepMs, count: count - whole }, last);
  }
  return true;
}

/** Rows by their bucket, then by their labels; only rows without keys exist for no points. */
function rowsOf(
  { keys, aggregates, buckets }: RecentQuestion,
  groups: Groups,
  groupKeys: readonly (readonly GroupKey[])[],
  limit: number,
): RecentAnswer['rows'] {
  const rows: RecentAnswer['rows'] = [];
  const order = [...groupKeys.keys()].sort((a, b) => compareKeys(groupKeys[a], groupKeys[b]));
  if (keys.length === 0 && order.length === 0) order.push(0);
  for (let bucket = 0; bucket < buckets.count; bucket++) {
    const start = timeText(buckets.firstMs + bucket * buckets.stepMs, buckets.stepMs);
    for (const group of order) {
      if (keys.length > 0 && groups.count(group, bucket) === 0) continue;
      if (rows.length >= limit) return rows;
      // Of its final length: an array that grows reserves four times as much.
      const row: RecentAnswer['rows'][number] = new Array(keys.length + aggregates.length).fill(null);
      let label = 0;
      for (const [i, key] of keys.entries()) {
        row[i] = key === 'bucket' ? start : (groupKeys[group]?.[label++]?.key ?? null);
      }
      for (const [i, one] of aggregates.entries()) row[keys.length + i] = aggregateOf(groups, one, group, bucket);
      rows.push(row);
    }
  }
  return rows;
}

function aggregateOf(groups: Groups, of: RecentAggregate, group: number, bucket: number): string | number | null {
  const count = groups.count(group, bucket);
  if (of === 'count') return String(count);
  if (of === 'sum') return groups.sum(group, bucket);
  if (count === 0) return null;
  if (of === 'avg') return groups.sum(group, bucket) / count;
  return of === 'min' ? groups.least(group, bucket) : groups.largest(group, bucket);
}

/** As the engine writes it: with nanoseconds where buckets are not of whole seconds. */
function timeText(ms: number, stepMs: number): string {
  const text = new Date(ms).toISOString().replace('T', ' ');
  return stepMs % 1000 === 0 ? text.slice(0, 19) : `${text.slice(0, 23)}000000`;
}
