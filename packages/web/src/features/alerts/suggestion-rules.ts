import { meets, type Operator } from '../../alerting/comparison.ts';
import type { Result } from '../../telemetry/oql.ts';
import { asRecords, plainText } from '../../telemetry/results.ts';
import { toDate } from '../../ui/format/index.ts';

/** The threshold that the past suggests, with how it was found. */
export interface Suggestion {
  /** `p99.9`, or what is beyond all values. */
  readonly of: string;
  /** The value at that quantile. */
  readonly value: number;
  /** The same as a round number: the threshold. */
  readonly threshold: number;
  /** How often the rule would have fired. */
  readonly firings: number;
}

/** The values of each instance, in windows that follow each other; null where it has none. */
export type PastSeries = readonly (readonly (number | null)[])[];

/** Fewer values say nothing about what is usual. */
export const LEAST_VALUES = 20;
/** A rule that fired more often in the past would be ignored. */
const MOST_FIRINGS = 3;

const ABOVE = [
  [0.95, 'p95'],
  [0.99, 'p99'],
  [0.995, 'p99.5'],
  [0.999, 'p99.9'],
  [1, 'The highest value'],
] as const;
const BELOW = [
  [0.05, 'p5'],
  [0.01, 'p1'],
  [0.005, 'p0.5'],
  [0.001, 'p0.1'],
  [0, 'The lowest value'],
] as const;

interface Asked {
  readonly op: Operator;
  /** How many windows in a row must meet the condition. */
  readonly heldWindows: number;
  /** The least threshold of a rule that fires above it. */
  readonly least?: number;
  /** No value is beyond this, so that a rule at it could not fire. */
  readonly never?: number;
}

/**
 * The most sensitive threshold at a quantile of the past that would have fired at most three times.
 * @returns null with too few values, where none would have been so quiet, and for conditions without an order
 */
export function suggestThreshold(
  series: PastSeries,
  { op, heldWindows, least = Number.NEGATIVE_INFINITY, never }: Asked,
): Suggestion | null {
  const values = series.flat().filter((value): value is number => value !== null);
  const rises = op === '>' || op === '>=';
  if (values.length < LEAST_VALUES || op === '==' || op === '!=') return null;
  const sorted = values.toSorted((a, b) => a - b);
  for (const [share, of] of rises ? ABOVE : BELOW) {
    const value = sorted[Math.round(share * (sorted.length - 1))] ?? 0;
    const threshold = rises ? Math.max(least, roundUp(value)) : roundDown(value);
    if (never !== undefined && (rises ? threshold >= never : threshold <= never)) return null;
    const firings = countFirings(series, { op, threshold, heldWindows });
    if (firings <= MOST_FIRINGS) return { of, value, threshold, firings };
  }
  return null;
}

/** How often instances begin to meet a condition and keep it for some windows. A gap ends it. */
export function countFirings(
  series: PastSeries,
  { op, threshold, heldWindows }: { op: Operator; threshold: number; heldWindows: number },
): number {
  let firings = 0;
  for (const values of series) {
    let held = 0;
    for (const value of values) {
      held = value !== null && meets(value, op, threshold) ? held + 1 : 0;
      if (held === heldWindows) firings++;
    }
  }
  return firings;
}

/**
 * The column `value` of an answer by instance, in windows of a width. What is missing is null, and so are windows that were cut off.
 * @param partial the starts of such windows, in epoch milliseconds
 */
export function pastSeries(
  result: Result,
  widthMs: number,
  partial: readonly number[],
): { readonly series: PastSeries; readonly since: number | undefined } {
  const time = result.columns.find(({ type }) => type === 'timestamp')?.name ?? '';
  const cut = new Set(partial);
  const byInstance = new Map<string, Map<number, number>>();
  const times: number[] = [];
  for (const { [time]: at, value, ...labels } of asRecords(result)) {
    const start = toDate(plainText(at))?.getTime();
    const number = value === null || value === undefined ? Number.NaN : Number(value);
    if (start === undefined || cut.has(start) || !Number.isFinite(number)) continue;
    const key = JSON.stringify(labels);
    const values = byInstance.get(key) ?? new Map<number, number>();
    byInstance.set(key, values.set(Math.round(start / widthMs), number));
    times.push(start);
  }
  const series = [...byInstance.values()].map((values) => {
    const slots = [...values.keys()];
    const first = slots.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const last = slots.reduce((a, b) => Math.max(a, b), first);
    return Array.from({ length: last - first + 1 }, (_, index) => values.get(first + index) ?? null);
  });
  return { series, since: times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b)) };
}

/** The windows that a condition must hold for: one, and those that begin within `for`. */
export function heldWindows(forMs: number, windowMs: number): number {
  return 1 + Math.ceil(forMs / windowMs);
}

/** The next number of two digits that is not smaller. */
function roundUp(value: number): number {
  if (value === 0) return 0;
  if (value < 0) return -roundDown(-value);
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(Number((value / step).toPrecision(12))) * step).toPrecision(12));
}

function roundDown(value: number): number {
  if (value === 0) return 0;
  if (value < 0) return -roundUp(-value);
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.floor(Number((value / step).toPrecision(12))) * step).toPrecision(12));
}
