import { formatBytes, formatDuration, formatNumber, rateFormat } from '../../ui/format/index.ts';
import type { Aggregation } from './metric-query.ts';

/** Nanoseconds per UCUM time unit. */
const TIMES: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9, d: 86_400e9 };
const SIZES: Readonly<Record<string, number>> = { By: 1, KiBy: 1024, MiBy: 1024 ** 2, kBy: 1000, MBy: 1e6 };

/** Whether an aggregation returns measured values rather than counts. */
export function isMeasurement(aggregation: Aggregation): boolean {
  return aggregation !== 'count' && aggregation !== 'rate' && aggregation !== 'increase';
}

/**
 * The format of a metric's values, by its unit (UCUM) and the aggregation. Rates use the time unit that suits the
 * values in `beside`.
 */
export function metricFormat(
  unit: string,
  aggregation: Aggregation,
  histogram: boolean,
  beside: Iterable<number | null> = [],
): (value: number) => string {
  if (aggregation === 'count') return rateFormat(beside);
  // The increase of a histogram is a number of measurements, whatever their unit.
  if (aggregation === 'increase' && histogram) return formatNumber;
  const time = TIMES[unit];
  const size = SIZES[unit];
  const plain =
    time !== undefined
      ? (value: number) => formatDuration(value * time)
      : size !== undefined
        ? (value: number) => formatBytes(value * size)
        : formatNumber;
  if (aggregation !== 'rate') return plain;
  return time === undefined && size === undefined ? rateFormat(beside) : (value) => `${plain(value)}/s`;
}
