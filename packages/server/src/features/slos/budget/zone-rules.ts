import { offsetAt, wallClock } from '@fanion/contract';

const dayMs = 86_400_000;

/** A date of the Gregorian calendar; the month counts from 0. */
interface LocalDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/**
 * When a date begins in a time zone. Where clocks skip midnight, it begins when they are set forward; where midnight comes
 * twice, at the first one.
 */
export function startOfDate(timeZone: string, { year, month, day }: LocalDate): number {
  const wall = Date.UTC(year, month, day);
  const [before, after] = [offsetAt(timeZone, wall - dayMs), offsetAt(timeZone, wall + dayMs)];
  const found = [wall - before, wall - after].filter((at) => at + offsetAt(timeZone, at) === wall);
  return found.length > 0 ? Math.min(...found) : wall - before;
}

/** The start of the week (Monday), month or quarter that contains a moment, or of one that is `later` units later. */
export function startOfUnit(unit: 'week' | 'month' | 'quarter', timeZone: string, ms: number, later: number): number {
  const local = wallClock(timeZone, ms);
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
  switch (unit) {
    case 'week':
      return startOfDate(timeZone, { year, month, day: day - ((local.getUTCDay() + 6) % 7) + 7 * later });
    case 'month':
      return startOfDate(timeZone, { year, month: month + later, day: 1 });
    case 'quarter':
      return startOfDate(timeZone, { year, month: month - (month % 3) + 3 * later, day: 1 });
  }
}
