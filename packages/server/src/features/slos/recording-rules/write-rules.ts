import { createBreath } from '../../../platform/breath.ts';

const maxLabelCharacters = 1_024;
const dayMs = 86_400_000;
/** Steps that are older than this when they are due are skipped and counted as missed. */
export const catchUpMs = dayMs;
/** Steps of one query, while it catches up or fills the past. */
const stepsAtOnce = 120;

/** Half-open, in milliseconds since the epoch. */
export interface Steps {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Progress {
  readonly everyMs: number;
  /** Up to when the metric is written. */
  readonly watermarkMs: number;
  /** The end of a range that may have been written already. */
  readonly pendingToMs: number | undefined;
}

export type Due =
  | { readonly do: 'nothing' }
  | { readonly do: 'skip'; readonly toMs: number; readonly missed: number }
  | ({ readonly do: 'write' } & Steps);

/**
 * What a rule writes next. The step at the watermark is always written alone, so that a repetition after a crash writes just the same
 * range, whatever time it is; a longer range is noted (`pendingToMs`) before it is written.
 * @param settledMs up to when the telemetry that the rule reads has arrived
 */
export function dueSteps({ everyMs, watermarkMs, pendingToMs }: Progress, settledMs: number): Due {
  if (pendingToMs !== undefined) return { do: 'write', fromMs: watermarkMs, toMs: pendingToMs };
  const toMs = alignedTo(settledMs, everyMs);
  if (toMs <= watermarkMs) return { do: 'nothing' };
  const oldestMs = alignedTo(settledMs - catchUpMs, everyMs);
  if (watermarkMs < oldestMs)
    return { do: 'skip', toMs: oldestMs, missed: Math.round((oldestMs - watermarkMs) / everyMs) };
  return { do: 'write', fromMs: watermarkMs, toMs: watermarkMs + everyMs };
}

/** The range to note after a step was written; undefined: at most one more step is due. */
export function nextPending({ everyMs }: Progress, writtenToMs: number, settledMs: number): number | undefined {
  const dueMs = alignedTo(settledMs, everyMs);
  if (dueMs - writtenToMs <= everyMs) return undefined;
  return Math.min(dueMs, writtenToMs + stepsAtOnce * everyMs);
}

/** The part of a back-fill before a time. */
export function stepsBefore(atMs: number, fromMs: number, everyMs: number): Steps {
  return { fromMs: Math.max(fromMs, atMs - stepsAtOnce * everyMs), toMs: atMs };
}

export function alignedTo(ms: number, everyMs: number): number {
  return Math.floor(ms / everyMs) * everyMs;
}

/** Seconds since the end of the last written step that should be there by now. */
export function lagSeconds(
  { watermarkMs, offsetMs }: { readonly watermarkMs: number; readonly offsetMs: number },
  nowMs: number,
): number {
  return Math.max(0, Math.round((nowMs - offsetMs - watermarkMs) / 1_000));
}

export type Labels = Readonly<Record<string, string>>;

/** A point of the written metric: `endMs` is the end of its step. */
export interface Point {
  readonly labels: Labels;
  readonly startMs: number;
  readonly endMs: number;
  /** Null: the series has ended, which PromQL has to know. */
  readonly value: number | null;
}

/** A value of a step, before the labels of the rule are added. */
export interface Found {
  /** The start of the step, in milliseconds. */
  readonly at: number;
  readonly labels: readonly (readonly [name: string, text: string])[];
  readonly value: number | null;
}

/**
 * The points of values. A series that has a value in a step has not ended in it. Throws for two values of one series and step, and for a
 * step with more than `maxSeries`.
 */
export async function pointsOf(
  found: readonly Found[],
  { everyMs, labels: own, maxSeries }: { everyMs: number; labels: Labels; maxSeries: number },
): Promise<Point[]> {
  const seen = new Set<string>();
  const counts = new Map<number, number>();
  const points: Point[] = [];
  const breath = createBreath();
  const [values, ends] = [found.filter(({ value }) => value !== null), found.filter(({ value }) => value === null)];
  for (const { at, labels: all, value } of [...values, ...ends]) {
    await breath();
    const named = all.map(([name, text]) => [name, text.slice(0, maxLabelCharacters)] as const);
    const labels = { ...Object.fromEntries(named.filter(([, text]) => text !== '')), ...own };
    const identity = `${at} ${identityOf(labels)}`;
    if (seen.has(identity)) {
      if (value === null) continue;
      throw new UnwritableAnswer(`Two rows have the same labels: ${JSON.stringify(labels)}.`);
    }
    seen.add(identity);
    if (value !== null) {
      const count = (counts.get(at) ?? 0) + 1;
      if (count > maxSeries)
        throw new UnwritableAnswer(`The query returns more than ${maxSeries} series. Group by fewer keys.`);
      counts.set(at, count);
    }
    points.push({ labels, startMs: at, endMs: at + everyMs, value });
  }
  return points;
}

/** The answer cannot be written as a metric, in words for the rule's owner. */
export class UnwritableAnswer extends Error {
  override readonly name = 'UnwritableAnswer';
}

/** The same text for equal labels, in whatever order they come. */
export function identityOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
