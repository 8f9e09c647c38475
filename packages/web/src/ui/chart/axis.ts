import { wallClock } from '../format/zone.ts';

const DAY = 86_400_000;

const two = (value: number) => String(value).padStart(2, '0');

/**
 * Labels of a time axis in the chosen zone: seconds if ticks are that close, the day where it changes, only days if
 * ticks are days apart. `increment` is the distance between ticks; all in milliseconds.
 */
export function timeTicks(ticks: readonly number[], increment: number): string[] {
  let day = '';
  return ticks.map((tick, index) => {
    const wall = wallClock(tick);
    const date = `${two(wall.getUTCMonth() + 1)}-${two(wall.getUTCDate())}`;
    if (increment >= DAY) return date;
    const clock = `${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}${increment < 60_000 ? `:${two(wall.getUTCSeconds())}` : ''}`;
    const changed = index > 0 && day !== date;
    day = date;
    return changed ? `${clock}\n${date}` : clock;
  });
}

/** The range of a value axis: from zero, unless values are negative, with some space above; never of zero height. */
export function valueRange(min: number | null, max: number | null): [number, number] {
  const low = Math.min(0, min ?? 0);
  const high = Math.max(0, max ?? 0);
  if (low === 0 && high === 0) return [0, 1];
  const air = (high - low) * 0.06;
  return [low < 0 ? low - air : 0, high > 0 ? high + air : 0];
}

/** Pixels below the plot for the labels of `timeTicks`: includes a second line of text if the day changes. */
export function timeAxisSize(labels: readonly (string | null)[] | null | undefined): number {
  return labels?.some((label) => label?.includes('\n')) ? 46 : 32;
}
