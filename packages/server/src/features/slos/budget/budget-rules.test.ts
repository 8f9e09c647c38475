import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attainmentIfAll,
  attainmentOf,
  budgetOf,
  budgetSpentBy,
  budgetTime,
  burnRate,
  type Counts,
  exhaustedAt,
} from './budget-rules.ts';
import { type BurnPair, burnPairs, isBurning, isReachable } from './burn-rules.ts';

const day = 86_400;
const days30 = 30 * day;

describe('the budget', () => {
  it.each([
    [0.999, 43 * 60 + 12],
    [0.9995, 21 * 60 + 36],
    [0.9999, 4 * 60 + 19.2],
  ])('of 30 days at %s is %s s of total failure', (objective, seconds) => {
    expect(budgetTime(objective, days30)).toBeCloseTo(seconds, 9);
  });

  it('left is 1 − bad / ((1 − objective) · total)', () => {
    const counts = { good: 9_960, total: 10_000 };
    expect(attainmentOf(counts)).toBe(0.996);
    const { allowed, spent, left } = budgetOf(counts, 0.99);
    expect([allowed, spent]).toEqual([100, 40]);
    expect(left).toBeCloseTo(0.6, 12);
    expect(burnRate(counts, 0.99)).toBeCloseTo(0.4, 12);
    expect(budgetOf({ good: 9_700, total: 10_000 }, 0.99).left).toBeCloseTo(-2, 12);
  });

  it('without traffic is unknown, never NaN', () => {
    const none = { good: 0, total: 0 };
    expect([attainmentOf(none), burnRate(none, 0.99), budgetOf(none, 0.99)]).toEqual([
      null,
      null,
      { allowed: 0, spent: 0, left: null },
    ]);
    const at = { nowMs: 10, fromMs: 0, periodMs: 10, endMs: undefined };
    expect(exhaustedAt(none, 0.99, null, at)).toBeNull();
    expect([attainmentIfAll(none, none, none), budgetSpentBy(none, none, 0.99)]).toEqual([null, null]);
  });

  it('of ten minutes of outage at 99.9 % and even traffic is spent to 23.148 %', () => {
    const { left } = budgetOf({ good: days30 - 600, total: days30 }, 0.999);
    expect(1 - (left ?? 0)).toBeCloseTo(0.231481, 6);
  });

  it('is spent when the burn rate says so', () => {
    const periodMs = days30 * 1_000;
    const at = { nowMs: 0, fromMs: -periodMs, periodMs, endMs: undefined };
    const half = { good: days30 - days30 * 0.0005, total: days30 };
    // Half of the budget is left, and lasts a fourteenth of 15 days.
    expect(exhaustedAt(half, 0.999, 14, at)).toBeCloseTo((15 * day * 1_000) / 14, 0);
    expect(exhaustedAt(half, 0.999, 1, at)).toBeNull();
    expect(exhaustedAt({ good: days30 * 0.99, total: days30 }, 0.999, 0, at)).toBe(0);
    // Ten days into a month, a tenth of its budget is spent by a burn rate of 0.3: at 2 it lasts 13.5 days more.
    const tenDays = { good: 10 * day * (1 - 0.0003), total: 10 * day };
    const month = { nowMs: 10 * day * 1_000, fromMs: 0, periodMs, endMs: periodMs };
    expect(exhaustedAt(tenDays, 0.999, 2, month)).toBeCloseTo((10 + 13.5) * day * 1_000, -1);
    expect(exhaustedAt(tenDays, 0.999, 1.3, month)).toBeNull();
  });

  it('sums events and never averages ratios', () => {
    const counts = fc
      .record({ good: fc.nat(1e6), bad: fc.nat(1e6) })
      .map(({ good, bad }) => ({ good, total: good + bad }));
    fc.assert(
      fc.property(counts, counts, fc.double({ min: 0.5, max: 0.9999, noNaN: true }), (a, b, objective) => {
        const both = { good: a.good + b.good, total: a.total + b.total };
        const rate = burnRate(both, objective);
        const parts = [a, b].map((one) => burnRate(one, objective)).filter((one) => one !== null);
        if (rate === null) return parts.length === 0;
        const [low, high] = [Math.min(...parts), Math.max(...parts)];
        const { left } = budgetOf(both, objective);
        return (
          rate >= low - 1e-9 * high &&
          rate <= high * (1 + 1e-9) &&
          left !== null &&
          Math.abs(1 - left - rate) <= 1e-6 * (1 + rate)
        );
      }),
    );
  });
});

describe('who spent it', () => {
  const all = { good: 9_960, total: 10_000 };
  const flagged = { good: 4_965, total: 5_000 };
  const on = { good: 965, total: 1_000 };
  const off = { good: 4_000, total: 4_000 };
  it('adds up over the variants of a flag', () => {
    expect(budgetSpentBy(on, all, 0.99)).toBeCloseTo(0.35, 12);
    expect(budgetSpentBy(off, all, 0.99)).toBe(0);
  });
  it('shows attainment if a variant were at 100 %', () => {
    expect(attainmentIfAll(all, flagged, on)).toBeCloseTo((4_995 + 0.965 * 5_000) / 10_000, 12);
    expect(attainmentIfAll(all, flagged, off)).toBeCloseTo(0.9995, 12);
    expect(attainmentIfAll(all, flagged, { good: 0, total: 0 })).toBeNull();
  });
});

describe('the factors of burn-rate alerts', () => {
  it.each([
    [30, [14.4, 6, 3, 1]],
    [28, [13.44, 5.6, 2.8, 0.933333333]],
    [7, [13.44, 3.5, 1.4, 0.98]],
  ])('of %s days are %s', (days, factors) => {
    expect(burnPairs(days * day * 1_000).map(({ factor }) => factor)).toEqual(factors);
  });

  it('that a total failure does not reach are reported', () => {
    const [page] = burnPairs(days30 * 1_000);
    if (page === undefined) throw new Error('no pair');
    expect([isReachable(page, 0.999), isReachable(page, 0.9)]).toEqual([true, false]);
  });
});

describe('burn-rate alerts at 99.9 % over 30 days, with even traffic', () => {
  const [first, second] = burnPairs(days30 * 1_000);
  const rule = { objective: 0.999, minEvents: 0 };
  /** The counts of `[at − length, at)` seconds while `share` of the events of `[0, until)` fail. */
  const counts = (at: number, length: number, share: number, until: number): Counts => {
    const bad = share * Math.max(0, Math.min(at, until) - Math.max(at - length, 0));
    return { good: length - bad, total: length };
  };
  const burns = (pair: BurnPair | undefined, at: number, share: number, until: number) => {
    if (pair === undefined) throw new Error('no pair');
    const of = (ms: number) => counts(at, ms / 1_000, share, until);
    return isBurning(pair, { long: of(pair.longMs), short: of(pair.shortMs) }, rule);
  };
  /** When a condition changes between two moments, to a millionth of a second. */
  const change = (holds: (at: number) => boolean, from: number, to: number) => {
    let [low, high] = [from, to];
    while (high - low > 1e-6) {
      const middle = (low + high) / 2;
      if (holds(middle) === holds(from)) low = middle;
      else high = middle;
    }
    return high;
  };

  it.each([
    ['a total failure', 1, 51.84],
    ['10 % of errors', 0.1, 518.4],
  ])('%s pages after %s of errors in %s s', (_name, share, seconds) => {
    const forever = Number.POSITIVE_INFINITY;
    expect(change((at) => burns(first, at, share, forever), 0, 3_600)).toBeCloseTo(seconds, 4);
  });

  it.each([
    ['first', first, 295.68],
    ['second', second, 1_789.2],
  ])('the %s pair clears after an outage of ten minutes', (_name, pair, seconds) => {
    expect(burns(pair, 600, 1, 600)).toBe(true);
    expect(change((at) => burns(pair, 600 + at, 1, 600), 0, 3_600)).toBeCloseTo(seconds, 4);
  });

  it('fire above the factor only, and with enough events in both windows', () => {
    if (first === undefined) throw new Error('no pair');
    const at = (bad: number) => ({ good: 100_000 - bad, total: 100_000 });
    const both = (one: Counts) => ({ long: one, short: one });
    expect([isBurning(first, both(at(1_440)), rule), isBurning(first, both(at(1_441)), rule)]).toEqual([false, true]);
    const few = { long: at(50_000), short: { good: 0, total: 9 } };
    expect(isBurning(first, few, { ...rule, minEvents: 10 })).toBe(false);
    expect(isBurning(first, few, { ...rule, minEvents: 9 })).toBe(true);
    expect(isBurning(first, { long: at(50_000), short: at(0) }, rule)).toBe(false);
    expect(isBurning(first, both({ good: 0, total: 0 }), rule)).toBe(false);
  });
});
