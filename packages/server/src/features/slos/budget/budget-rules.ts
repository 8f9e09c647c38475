/** Events of a stretch of time. Slices of time count as events too. */
export interface Counts {
  readonly good: number;
  readonly total: number;
}

export const noCounts: Counts = { good: 0, total: 0 };

export function addCounts(a: Counts, b: Counts): Counts {
  return { good: a.good + b.good, total: a.total + b.total };
}

/** The share of events that may be bad. Rounded, since 1 − 0.999 is not 0.001 in binary. */
export function budgetShare(objective: number): number {
  return Math.round((1 - objective) * 1e12) / 1e12;
}

/** The share of good events; null without events. */
export function attainmentOf({ good, total }: Counts): number | null {
  return total > 0 ? good / total : null;
}

/** How fast the budget is spent: 1 spends exactly the budget of a window within the window. Null without events. */
export function burnRate({ good, total }: Counts, objective: number): number | null {
  return total > 0 ? (total - good) / total / budgetShare(objective) : null;
}

export interface Budget {
  /** Bad events that the objective allows for the total. */
  readonly allowed: number;
  /** Bad events. */
  readonly spent: number;
  /** 1 − spent / allowed; negative when overspent, null without events. */
  readonly left: number | null;
}

export function budgetOf({ good, total }: Counts, objective: number): Budget {
  const allowed = budgetShare(objective) * total;
  const spent = total - good;
  return { allowed, spent, left: total > 0 ? 1 - spent / allowed : null };
}

/** The budget of a period as time of total failure, at even traffic. In the unit of the period. */
export function budgetTime(objective: number, period: number): number {
  return budgetShare(objective) * period;
}

/**
 * When the budget of a window is spent if its burn rate stays, at even traffic; null: not within the window.
 * @param burn the present burn rate
 * @param endMs the end of a calendar window; undefined for a rolling one, whose bad events also leave it
 */
export function exhaustedAt(
  counts: Counts,
  objective: number,
  burn: number | null,
  { nowMs, fromMs, periodMs, endMs }: { nowMs: number; fromMs: number; periodMs: number; endMs: number | undefined },
): number | null {
  const { left } = budgetOf(counts, objective);
  if (left === null) return null;
  const elapsedMs = endMs === undefined ? periodMs : nowMs - fromMs;
  // Of a calendar window, the events that are yet to come add to the budget.
  const spentMs = (1 - left) * elapsedMs;
  if (spentMs >= periodMs) return nowMs;
  if (burn === null || burn <= 0 || (endMs === undefined && burn <= 1)) return null;
  const at = nowMs + (periodMs - spentMs) / burn;
  return endMs !== undefined && at >= endMs ? null : at;
}

/**
 * What attainment would be if every event that saw a flag had seen one of its variants: events that saw it take the variant's own
 * attainment, the others stay.
 * @param flagged the events that saw any variant of the flag
 */
export function attainmentIfAll(all: Counts, flagged: Counts, variant: Counts): number | null {
  const rate = attainmentOf(variant);
  if (rate === null || all.total <= 0) return null;
  const others = { good: all.good - flagged.good, total: all.total - flagged.total };
  return (others.good + rate * flagged.total) / all.total;
}

/**
 * What attainment would be without a variant: events that saw it take the attainment of those that saw only other variants of the flag.
 * Null if there are none of these.
 * @param flagged the events that saw any variant of the flag
 */
export function attainmentWithout(all: Counts, flagged: Counts, variant: Counts): number | null {
  const rate = attainmentOf({ good: flagged.good - variant.good, total: flagged.total - variant.total });
  if (rate === null || all.total <= 0) return null;
  return (all.good - variant.good + rate * variant.total) / all.total;
}

/** The share of the budget of all events that the bad ones among some of them spent. */
export function budgetSpentBy(some: Counts, all: Counts, objective: number): number | null {
  const { allowed } = budgetOf(all, objective);
  return allowed > 0 ? (some.total - some.good) / allowed : null;
}
