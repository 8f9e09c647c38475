import type { Feature } from '../../feature.ts';

export {
  addCounts,
  attainmentIfAll,
  attainmentOf,
  attainmentWithout,
  budgetOf,
  budgetSpentBy,
  budgetTime,
  burnRate,
  type Counts,
  exhaustedAt,
  noCounts,
} from './budget-rules.ts';
export { type BurnPair, burnPairs, burnWindows, isBurning, isReachable } from './burn-rules.ts';
export { findCountedTo } from './progress-store.ts';
export { type NoValue, onlyValue, valueColumn } from './relation-rules.ts';
export {
  type CountedSlo,
  insertMinutes,
  listMinutes,
  listSteps,
  type Minute,
  type Range,
  type Sums,
  sumRanges,
} from './store.ts';
export { ceilTo, floorTo, nominalPeriodMs, type WindowAt, windowAt } from './window-rules.ts';

/** The events of SLOs by minute, and the arithmetic of budgets. */
export const sloBudgetFeature = {
  name: 'slos/budget',
  tenantTables: [{ name: 'slo_minutes', isBefore: () => 'minute < toStartOfMinute(toDateTime({before:UInt32}))' }],
} satisfies Feature;
