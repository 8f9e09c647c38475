import type { SloIndicator, SloWindow } from '@fanion/contract';
import { durationMs } from '../../../platform/durations.ts';
import { floorTo, nominalPeriodMs, type Range, windowAt } from '../budget/index.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** How far back events are counted again, for data that came late. */
export const lateMs = 15 * minuteMs;

type Events = Extract<SloIndicator, { kind: 'events' }>;

/** The line breaks end comments. */
export function eventsQuery({ source, good }: Pick<Events, 'source' | 'good'>): string {
  return `${source}\n| stats total=count(), good=count((${good}\n))`;
}

export function sliceMs(slice: string): number {
  return durationMs(slice);
}

/** The step in which an indicator is counted. */
export function stepOf(indicator: SloIndicator): number {
  return indicator.kind === 'slices' ? sliceMs(indicator.slice) : minuteMs;
}

/**
 * What is to be counted now: from a while before what has been counted on. Undefined: nothing yet.
 * @param settledMs up to when telemetry has arrived: of a slice that is not over, or not stored, a value says nothing
 */
export function dueRange(
  indicator: SloIndicator,
  derivedToMs: number,
  { nowMs, settledMs }: { readonly nowMs: number; readonly settledMs: number },
): Range | undefined {
  const step = stepOf(indicator);
  const fromMs = floorTo(Math.min(derivedToMs, nowMs) - lateMs, step);
  // Events of a minute that is not over are counted as far as they have come.
  const toMs = indicator.kind === 'slices' ? floorTo(settledMs, step) : floorTo(nowMs, step) + step;
  if (toMs <= fromMs) return undefined;
  return { fromMs, toMs: Math.min(toMs, floorTo(fromMs, dayMs) + dayMs) };
}

/** What a back-fill counts: two windows, so that the budget is known at each moment of one, as far as telemetry is kept. */
export function backfillRange(
  indicator: SloIndicator,
  window: SloWindow,
  { nowMs, keptDays }: { nowMs: number; keptDays: number },
): Range {
  const step = stepOf(indicator);
  const toMs = floorTo(nowMs, step);
  const wanted = windowAt(window, nowMs).fromMs - nominalPeriodMs(window);
  return { fromMs: floorTo(Math.max(wanted, nowMs - Math.min(keptDays, 400) * dayMs), step), toMs };
}

/** The day of UTC before a time, or what is left of it. */
export function dayBefore(atMs: number, fromMs: number): Range {
  return { fromMs: Math.max(fromMs, floorTo(atMs - 1, dayMs)), toMs: atMs };
}

/** From 0 to 1. */
export function progressOf({ fromMs, toMs }: Range, atMs: number): number {
  return toMs <= fromMs ? 1 : Math.min(1, Math.max(0, (toMs - atMs) / (toMs - fromMs)));
}

/** Minutes that differ from what is stored; what is stored and not found any more counts as nothing. */
export function changedMinutes<Minute extends { at: number; good: number; total: number }>(
  found: readonly Minute[],
  stored: readonly Minute[],
): readonly { at: number; good: number; total: number }[] {
  const known = new Map(stored.map((minute) => [minute.at, minute]));
  const changed: { at: number; good: number; total: number }[] = [];
  for (const { at, good, total } of found) {
    const before = known.get(at);
    known.delete(at);
    if (before?.good !== good || before.total !== total) changed.push({ at, good, total });
  }
  for (const { at, total } of known.values()) if (total !== 0) changed.push({ at, good: 0, total: 0 });
  return changed;
}
