import { formatBytes, formatDuration, formatNumber } from '../../ui/format/index.ts';

const TIMES: Readonly<Record<string, number>> = { nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9 };

/** The format of a profile's values, by its unit. */
export function profileFormat(unit: string): (value: number) => string {
  const time = TIMES[unit];
  if (time !== undefined) return (value) => formatDuration(value * time);
  return unit === 'bytes' ? formatBytes : formatNumber;
}
