import { anchored, type LabelCondition } from './condition-store.ts';
import type { Sampling } from './sampling-rules.ts';

/** What to count: by the steps of a window that begins with its first sample. */
export interface Counting extends Omit<Sampling, 'times'> {
  readonly bounds: readonly number[];
  /** On the labels of the family. */
  readonly conditions: readonly LabelCondition[];
  readonly limit: number;
}

const bound = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;

/** Rows of `spans` that began in the window, or up to some seconds around it. Their times are in the order key in steps of five minutes. */
export function inCountingAround(before: number, after: number): string {
  const [from, to] = [`${bound('start')} - ${before}`, `${bound('end')} + ${after}`];
  return `time > ${from} AND time <= ${to}
    AND toStartOfFiveMinutes(time) BETWEEN toStartOfFiveMinutes(${from}) AND toStartOfFiveMinutes(${to})`;
}
export const inCounting = inCountingAround(0, 0);

/** The end of the step that `time` is in, in Unix milliseconds. */
export const stepEnd = `toFloat64(intDiv(toUnixTimestamp64Milli(time) + {step:Int64} - 1, {step:Int64}) * {step:Int64})`;

/** For each bound: how many durations, in nanoseconds, are not longer. */
export function withinBounds(weight: string, duration: string, { bounds }: Counting): string {
  return `[${bounds.map((_, at) => `sumIf(${weight}, ${duration} <= {bounds:Array(UInt64)}[${at + 1}])`).join(', ')}]`;
}

/** @param columns the expression of each label; other labels are empty */
export function conditionsOn(
  columns: Readonly<Record<string, string>>,
  conditions: readonly LabelCondition[],
): string[] {
  return conditions.map(({ name, op }, at) => {
    const has = Object.hasOwn(columns, name) ? columns[name] : `''`;
    const value = `{value${at}:String}`;
    if (op === '=' || op === '!=') return `${has} ${op} ${value}`;
    return `${op === '!~' ? 'NOT ' : ''}match(${has}, ${value})`;
  });
}

export function parametersOf({ window, step, bounds, conditions, limit }: Counting): Record<string, unknown> {
  return {
    start: String(Math.trunc(window.start)),
    end: String(Math.trunc(window.end)),
    step: String(step),
    limit: limit + 1,
    bounds: bounds.map((seconds) => Math.round(seconds * 1e9)),
    ...Object.fromEntries(
      conditions.map(({ op, value }, at) => [`value${at}`, op.endsWith('~') ? anchored(value) : value]),
    ),
  };
}

export function countingLimits({ limit }: Counting) {
  return { maxResultRows: limit + 1, maxResultBytes: 128 * 1024 ** 2 };
}
