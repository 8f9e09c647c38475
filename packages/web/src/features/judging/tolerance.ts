import type { GuardedRelease } from './queries.ts';

type Guard = GuardedRelease['guards'][number];
export type Tolerance = Pick<Guard, 'tolerance' | 'scale'>;

const form = /^(\d{1,12}(?:\.\d{1,12})?)\s*(points?|%|ms|s)?$/i;
/** Metrics that are durations, in nanoseconds; also by an earlier name. */
const durations = ['latency', 'latency_p95', 'p95_latency'];
const nanoseconds: Readonly<Record<string, number>> = { ms: 1e6, s: 1e9 };

/**
 * How much worse is tolerated, as people write it: `1 point` of a share is 0.01, `5 %` is a part of the control's value, `20 ms` is a time, and
 * a bare number is in units of the metric. Undefined for anything else, and for a unit that the metric does not have.
 */
export function parseTolerance(text: string, metric: string): Tolerance | undefined {
  const [, digits, unit = ''] = form.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  const absolute = (tolerance: number): Tolerance => ({
    tolerance: Number(tolerance.toPrecision(12)),
    scale: 'absolute',
  });
  switch (unit.toLowerCase()) {
    case '':
      return absolute(value);
    case '%':
      return { tolerance: Number((value / 100).toPrecision(12)), scale: 'relative' };
    case 'point':
    case 'points':
      return durations.includes(metric) ? undefined : absolute(value / 100);
    default:
      return metric === 'error_rate' ? undefined : absolute(value * (nanoseconds[unit.toLowerCase()] ?? 1));
  }
}

/** The shortest text that {@link parseTolerance} reads back. */
export function toleranceText({ tolerance, scale }: Tolerance, metric: string): string {
  const number = (value: number) => String(Number(value.toPrecision(12)));
  if (scale === 'relative') return `${number(tolerance * 100)} %`;
  if (metric === 'error_rate') return `${number(tolerance * 100)} ${tolerance === 0.01 ? 'point' : 'points'}`;
  return durations.includes(metric) ? `${number(tolerance / 1e6)} ms` : number(tolerance);
}
