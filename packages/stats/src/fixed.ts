import type { Effect } from './effect.ts';
import { studentCritical, studentTail } from './special/student.ts';

export interface Test {
  interval: [number, number];
  pValue: number;
}

/** Which differences count against the null hypothesis. */
export type Side = 'both' | 'greater' | 'less';

/**
 * Welch's t-test. Its error rate holds only for one look at a time chosen beforehand: who looks 20 to 50 times and stops at the first
 * significant result errs in 25 to 34 % instead of 5 %.
 */
export function fixedTest({ difference, standardError, df }: Effect, alpha: number, side: Side = 'both'): Test {
  const t = difference / standardError;
  if (side === 'both') {
    const half = studentCritical(alpha / 2, df) * standardError;
    return { interval: [difference - half, difference + half], pValue: 2 * studentTail(Math.abs(t), df) };
  }
  const half = studentCritical(alpha, df) * standardError;
  return side === 'greater'
    ? { interval: [difference - half, Number.POSITIVE_INFINITY], pValue: studentTail(t, df) }
    : { interval: [Number.NEGATIVE_INFINITY, difference + half], pValue: studentTail(-t, df) };
}
