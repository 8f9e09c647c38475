import { meets } from '../../alerting/comparison.ts';
import type { Result } from '../../telemetry/oql.ts';
import { asRecords, plainText } from '../../telemetry/results.ts';
import { toDate } from '../../ui/format/index.ts';
import { chartQuery } from '../alerts/rule-draft.ts';
import type { Indicator } from './queries.ts';

/** The width of the preview's steps. */
const bucket = '30m';

export interface PreviewQueries {
  readonly first: string | null;
  readonly second: string | null;
  /** In PromQL. */
  readonly step?: string;
}

/** What the preview of an indicator asks; null for a query that it cannot ask step by step. */
export function previewQueries(indicator: Indicator): PreviewQueries {
  if (indicator.kind !== 'events' && indicator.query_language === 'promql') return promqlQueries(indicator);
  switch (indicator.kind) {
    case 'events':
      return {
        first: `${indicator.source}\n| stats total=count(), good=count((${indicator.good}\n)) by bucket(${bucket})`,
        second: null,
      };
    case 'ratio':
      return { first: chartQuery(indicator.total, bucket), second: chartQuery(indicator.good, bucket) };
    case 'slices':
      return { first: chartQuery(indicator.query, indicator.slice), second: null };
  }
}

/** A text of PromQL, in which nothing is a range, or a range of one minute. */
const textOrMinute = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\[\s*(?:1m|60s)\s*\]/g;

/** Increases of a minute are shown as those of a step. */
function promqlQueries(indicator: Exclude<Indicator, { kind: 'events' }>): PreviewQueries {
  if (indicator.kind === 'slices') return { first: indicator.query, second: null, step: indicator.slice };
  const overSteps = (query: string) => {
    const replaced = query.replace(textOrMinute, (found) => (found.startsWith('[') ? `[${bucket}]` : found));
    return replaced === query ? null : replaced;
  };
  return { first: overSteps(indicator.total), second: overSteps(indicator.good), step: bucket };
}

export interface Counted {
  /** Epoch milliseconds, ascending. */
  readonly times: readonly number[];
  readonly good: readonly (number | null)[];
  readonly bad: readonly (number | null)[];
  readonly sum: { readonly good: number; readonly total: number };
}

/** Good and bad events by step, of the answers to the preview's queries; null if they have no numbers. */
export function countedOf(indicator: Indicator, first: Result, second: Result | undefined): Counted | null {
  switch (indicator.kind) {
    case 'events':
      return sumUp(valuesOf(first, 'good'), valuesOf(first, 'total'));
    case 'ratio':
      return second === undefined ? null : sumUp(valuesOf(second), valuesOf(first));
    case 'slices': {
      const values = valuesOf(first);
      if (values === null) return null;
      const holds = (value: number) => (meets(value, indicator.op, indicator.threshold) ? 1 : 0);
      return sumUp(
        new Map([...values].map(([at, value]) => [at, holds(value)])),
        new Map([...values].map(([at]) => [at, 1])),
      );
    }
  }
}

/** Whether an answer has several values at one time, which no indicator may. */
export function hasSeveralSeries({ columns, rows }: Result): boolean {
  const at = columns.findIndex(({ type }) => type === 'timestamp');
  return at >= 0 && new Set(rows.map((row) => row[at])).size < rows.length;
}

function sumUp(good: Map<number, number> | null, total: Map<number, number> | null): Counted | null {
  if (good === null || total === null) return null;
  const times = [...total.keys()].sort((a, b) => a - b);
  const sum = { good: 0, total: 0 };
  const goods: (number | null)[] = [];
  const bads: (number | null)[] = [];
  for (const at of times) {
    const all = total.get(at) ?? 0;
    // The server counts so too: more good events than events are as many.
    const fine = Math.min(good.get(at) ?? 0, all);
    goods.push(fine);
    bads.push(all - fine);
    sum.good += fine;
    sum.total += all;
  }
  return { times, good: goods, bad: bads, sum };
}

/** A column by time: the named one, else `value`, else the last column. Null without a time or a number. */
function valuesOf(result: Result, name?: string): Map<number, number> | null {
  const time = result.columns.find(({ type }) => type === 'timestamp')?.name;
  const names = result.columns.map((column) => column.name).filter((one) => one !== time);
  const value = name ?? (names.includes('value') ? 'value' : names.at(-1));
  if (time === undefined || value === undefined) return null;
  const values = new Map<number, number>();
  for (const record of asRecords(result)) {
    const at = toDate(plainText(record[time]))?.getTime();
    const number = record[value] === null || record[value] === undefined ? Number.NaN : Number(record[value]);
    if (at !== undefined && Number.isFinite(number)) values.set(at, number);
  }
  return values;
}
