import type { SloWindow } from '@fanion/contract';
import { startOfUnit } from './zone-rules.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Times in milliseconds since the epoch. */
export interface WindowAt {
  /** A whole minute. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Where a calendar window ends; undefined for a rolling one. */
  readonly endMs: number | undefined;
  /** The length of the whole window. */
  readonly periodMs: number;
}

/** The length that burn-rate alerts are derived from: calendar windows differ in length. */
export function nominalPeriodMs(window: SloWindow): number {
  if (window.kind === 'rolling') return Number.parseInt(window.period, 10) * dayMs;
  return { week: 7, month: 30, quarter: 90 }[window.unit] * dayMs;
}

/** The window that contains `now`, or ends there. Events are counted by the minute, so it begins with a whole one. */
export function windowAt(window: SloWindow, nowMs: number): WindowAt {
  if (window.kind === 'rolling') {
    const periodMs = nominalPeriodMs(window);
    return { fromMs: floorTo(nowMs - periodMs, minuteMs), toMs: nowMs, endMs: undefined, periodMs };
  }
  const fromMs = startOfUnit(window.unit, window.time_zone, nowMs, 0);
  const endMs = startOfUnit(window.unit, window.time_zone, nowMs, 1);
  return { fromMs, toMs: nowMs, endMs, periodMs: endMs - fromMs };
}

export function floorTo(ms: number, stepMs: number): number {
  return Math.floor(ms / stepMs) * stepMs;
}

export function ceilTo(ms: number, stepMs: number): number {
  return Math.ceil(ms / stepMs) * stepMs;
}
