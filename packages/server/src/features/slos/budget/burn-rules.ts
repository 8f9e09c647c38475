import { budgetShare, burnRate, type Counts } from './budget-rules.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A long and a short window that alert together: the long one says that it matters, the short one that it still happens. */
export interface BurnPair {
  readonly severity: 'page' | 'ticket';
  readonly long: string;
  readonly short: string;
  readonly longMs: number;
  readonly shortMs: number;
  /** The burn rate that both windows must exceed. */
  readonly factor: number;
}

const windows = [
  { severity: 'page', long: '1h', short: '5m', longMs: hour, shortMs: 5 * minute },
  { severity: 'page', long: '6h', short: '30m', longMs: 6 * hour, shortMs: 30 * minute },
  { severity: 'ticket', long: '1d', short: '2h', longMs: day, shortMs: 2 * hour },
  { severity: 'ticket', long: '3d', short: '6h', longMs: 3 * day, shortMs: 6 * hour },
] as const;

/** The shares of a period's budget that may be spent within each long window. */
const shares = [0.02, 0.05, 0.1, 0.1] as const;
/** Of a week, each window is a larger part. */
const sharesOfWeek = [0.08, 0.125, 0.2, 0.42] as const;

/** The pairs of an SLO's period: factor = share of the budget · period / long window. */
export function burnPairs(periodMs: number): readonly BurnPair[] {
  const of = periodMs <= 7 * day ? sharesOfWeek : shares;
  return windows.map((pair, i) => ({ ...pair, factor: rounded(((of[i] ?? 0) * periodMs) / pair.longMs) }));
}

/** Shares are decimals, which binary numbers only approach: 0.02 · 720 is 14.4. */
function rounded(factor: number): number {
  return Math.round(factor * 1e9) / 1e9;
}

/** Every window of the pairs, the shortest first. */
export const burnWindows: readonly { readonly name: string; readonly ms: number }[] = windows
  .flatMap(({ long, short, longMs, shortMs }) => [
    { name: long, ms: longMs },
    { name: short, ms: shortMs },
  ])
  .filter(({ name }, i, all) => all.findIndex((one) => one.name === name) === i)
  .sort((a, b) => a.ms - b.ms);

/** Whether a burn rate above the factor is possible: a total failure burns 1 / (1 − objective). */
export function isReachable({ factor }: BurnPair, objective: number): boolean {
  return factor < 1 / budgetShare(objective);
}

/** Whether both windows burn faster than the factor, and have enough events to tell. */
export function isBurning(
  { factor }: Pick<BurnPair, 'factor'>,
  { long, short }: { readonly long: Counts; readonly short: Counts },
  { objective, minEvents }: { readonly objective: number; readonly minEvents: number },
): boolean {
  if (long.total < minEvents || short.total < minEvents) return false;
  return [long, short].every((counts) => {
    const rate = burnRate(counts, objective);
    return rate !== null && rate > factor;
  });
}
