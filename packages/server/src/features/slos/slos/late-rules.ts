import type { Minute, Range } from '../budget/index.ts';
import { ceilTo, floorTo } from '../budget/index.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How often the shortest of the steps below is due. */
export const recountEveryMs = 10 * minuteMs;

/**
 * How far back events are counted again: the longer ago, the less often. Every minute is counted about 30 times more than while it is new,
 * which is as often as it was counted until then.
 */
function steps(recountDays: number) {
  return [
    { everyMs: dayMs, backMs: recountDays * dayMs },
    { everyMs: hourMs, backMs: 12 * hourMs },
    { everyMs: recountEveryMs, backMs: 2 * hourMs },
  ];
}

/** How far back the run counts that was due at a time of the grid: the longest step, which contains the others. */
export function backOf(dueMs: number, recountDays: number): number {
  return steps(recountDays).find(({ everyMs }) => dueMs % everyMs === 0)?.backMs ?? 0;
}

/**
 * When the next run is due after one that was due at `dueMs`. A run that took long, or a server that was down, does not leave out a longer
 * step: the latest one that has been missed is due at once.
 */
export function nextDue(dueMs: number, nowMs: number): number {
  for (const { everyMs } of steps(1)) {
    const missed = floorTo(nowMs, everyMs);
    if (missed > dueMs) return missed;
  }
  return dueMs + recountEveryMs;
}

/** Before this time nothing is counted again: events that arrive from now on are not counted there. */
export function settledTo(nowMs: number, recountDays: number): number {
  return ceilTo(nowMs, dayMs) - recountDays * dayMs;
}

/** A range by days of UTC, the latest first, so that no statement reads more than a day. */
export function byDay({ fromMs, toMs }: Range): Range[] {
  const days: Range[] = [];
  for (let end = toMs; end > fromMs; ) {
    const start = Math.max(fromMs, floorTo(end - 1, dayMs));
    days.push({ fromMs: start, toMs: end });
    end = start;
  }
  return days;
}

/**
 * Of the minutes that are found to differ from what is stored, those that late events explain. Fewer events than before mean that telemetry
 * has expired meanwhile, and what was counted stays.
 */
export function grownMinutes<Found extends Minute>(changed: readonly Found[], stored: readonly Minute[]): Found[] {
  const known = new Map(stored.map(({ at, total }) => [at, total]));
  return changed.filter(({ at, total }) => total > 0 && total >= (known.get(at) ?? 0));
}
