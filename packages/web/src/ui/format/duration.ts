import { formatNumber } from './number.ts';

const STEPS = [
  { unit: 'ns', size: 1 },
  { unit: 'µs', size: 1e3 },
  { unit: 'ms', size: 1e6 },
  { unit: 's', size: 1e9 },
] as const;

const MINUTE = 60e9;
const HOUR = 3600e9;
const DAY = 86_400e9;

/**
 * Formats a duration in nanoseconds: 340 ms, 1.25 s, 2m 5s, 3h 20m, 2d 4h. Accepts digit strings and bigints, since
 * nanoseconds can exceed the exact integers of a double. An invalid value becomes `–`.
 */
export function formatDuration(nanoseconds: number | string | bigint | null | undefined): string {
  if (nanoseconds === null || nanoseconds === undefined || nanoseconds === '') return '–';
  const value = Number(nanoseconds);
  if (!Number.isFinite(value)) return '–';
  if (value < 0) return `−${formatDuration(-value)}`;
  if (value === 0) return '0 ms';
  if (value >= DAY) return pair(value, DAY, 'd', HOUR, 'h');
  if (value >= HOUR) return pair(value, HOUR, 'h', MINUTE, 'm');
  if (value >= 59.95e9) return pair(value, MINUTE, 'm', 1e9, 's');
  let step: (typeof STEPS)[number] = STEPS[0];
  for (const candidate of STEPS) if (value >= candidate.size * 0.9995) step = candidate;
  const scaled = value / step.size;
  const decimals = step.unit === 'ns' || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
  return `${Number(scaled.toFixed(decimals))} ${step.unit}`;
}

function pair(value: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const total = Math.round(value / small);
  const perBig = Math.round(big / small);
  const whole = Math.floor(total / perBig);
  const rest = total - whole * perBig;
  return rest === 0 ? `${formatNumber(whole)}${bigUnit}` : `${formatNumber(whole)}${bigUnit} ${rest}${smallUnit}`;
}

/** The same for milliseconds. */
export function formatMilliseconds(milliseconds: number | null | undefined): string {
  return milliseconds === null || milliseconds === undefined ? '–' : formatDuration(milliseconds * 1e6);
}
