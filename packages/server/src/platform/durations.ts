/** Milliseconds of the units in which people write durations: seconds, minutes, hours, days, weeks. */
export const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Milliseconds of a duration such as `30s` or `7d`; the contract has checked its form. */
export function durationMs(text: string): number {
  const unit = unitMs[text.slice(-1)];
  // A duration of zero milliseconds would be over at once.
  if (unit === undefined) throw new Error(`unknown unit of a duration: ${text}`);
  return Number(text.slice(0, -1)) * unit;
}

/** The shortest text for a duration: `90s`, `5m`, or `250ms` where it is not a whole number of seconds. */
export function durationText(ms: number): string {
  if (ms % 1_000 !== 0) return `${Math.round(ms)}ms`;
  const [unit, size] = Object.entries(unitMs).findLast(([, size]) => ms % size === 0 && ms >= size) ?? ['s', 1_000];
  return `${ms / size}${unit}`;
}
