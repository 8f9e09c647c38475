import type { ResultValue } from '../../result.ts';
import { MINUTES, SPANS } from '../fixture.ts';
import { POINTS } from '../metric-fixture.ts';
import { START } from '../world.ts';

/** A query and its answer, computed from the fixture without SQL. */
export interface Golden {
  readonly query: string;
  readonly rows: readonly (readonly ResultValue[])[];
  /** The relative tolerance, for answers in floating point and quantiles from a digest. */
  readonly within?: number;
}

export const minute = (n: number) =>
  new Date(Number(START / 1_000_000n) + n * 60_000).toISOString().replace('.000Z', 'Z');
export const weightOf = (spans: readonly { readonly weight: number }[]) =>
  spans.reduce((sum, span) => sum + span.weight, 0);
export const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);
export const minutes = Array.from({ length: MINUTES }, (_, n) => n);
export const spans = (service: string, name?: string) =>
  SPANS.filter((span) => span.service === service && (!name || span.name === name));
export const pay = spans('checkout', 'POST /pay');
export const front = spans('frontend');
export const errors = SPANS.filter((span) => span.status === 'error');
export const failing = minutes.filter((n) => n % 10 === 9);
export const points = (service: string) =>
  POINTS.filter((point) => point.metric === 'requests' && serviceOf(point.series) === service);
const serviceOf = (series: number) => ['frontend', 'checkout', 'cart'][series - 101];
/** Linear interpolation between order statistics, like numpy's default. */
export function quantile(values: readonly number[], level: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * level;
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? 0;
  return low + (high - low) * (at - Math.floor(at));
}
