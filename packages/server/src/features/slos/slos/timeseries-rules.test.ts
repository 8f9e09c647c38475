import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetOf, windowAt } from '../budget/index.ts';
import { pointsOf, readingOf, type Step, stepFor } from './timeseries-rules.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const at = (text: string) => Date.parse(text);

/** What the store answers: counts of steps, with the joined range as one. */
function stepsOf(
  events: readonly { ms: number; good: boolean }[],
  reading: ReturnType<typeof readingOf>['reading'],
): Step[] {
  const found = new Map<string, Step>();
  for (const { ms, good } of events) {
    if (ms < reading.fromMs || ms >= reading.toMs) continue;
    const { joined, stepMs } = reading;
    const start = ms >= joined.fromMs && ms < joined.toMs ? joined.fromMs : Math.floor(ms / stepMs) * stepMs;
    const period = reading.boundaries.filter((boundary) => ms >= boundary).length;
    const key = `${start}/${period}`;
    const before = found.get(key) ?? { at: start / 1_000, period, good: 0, total: 0 };
    found.set(key, { ...before, good: before.good + (good ? 1 : 0), total: before.total + 1 });
  }
  return [...found.values()];
}

describe('a time series', () => {
  it.each([
    [hour, minute, minute],
    [day, minute, 5 * minute],
    [30 * day, minute, hour],
    [hour, hour, hour],
    [4_000 * day, minute, 5 * day],
  ])('of %s ms has steps of at least %s ms: %s', (range, least, step) => {
    expect(stepFor({ fromMs: 0, toMs: range }, least)).toBe(step);
  });

  it.each([
    ['rolling', { kind: 'rolling', period: '7d' }],
    ['calendar', { kind: 'calendar', unit: 'week', time_zone: 'Asia/Kathmandu' }],
    ['calendar with a change of clock', { kind: 'calendar', unit: 'month', time_zone: 'Europe/Berlin' }],
  ] as const)('has the budget of the %s window that ends with each step', (_name, window) => {
    const start = at('2026-10-20T00:00:00Z');
    const event = fc.record({ ms: fc.integer({ min: start - 20 * day, max: start + 20 * day }), good: fc.boolean() });
    const length = fc.integer({ min: 1, max: 15 * day });
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 60 }),
        length,
        fc.constantFrom(15 * minute, hour, day),
        (events, ms, stepMs) => {
          const { shown, reading } = readingOf(
            window,
            { fromMs: start + 7 * minute, toMs: start + 7 * minute + ms },
            stepMs,
          );
          const points = pointsOf(window, 0.9, { shown, reading }, stepsOf(events, reading));
          for (const { atMs, budgetLeft, total } of points) {
            const endMs = atMs + stepMs;
            const fromMs = windowAt(window, window.kind === 'rolling' ? endMs : Math.min(endMs, shown.toMs) - 1).fromMs;
            const inside = events.filter((one) => one.ms >= fromMs && one.ms < Math.min(endMs, shown.toMs));
            const good = inside.filter((one) => one.good).length;
            const expected = budgetOf({ good, total: inside.length }, 0.9).left;
            if (expected === null ? budgetLeft !== null : Math.abs((budgetLeft ?? Number.NaN) - expected) > 1e-9)
              return false;
            if (total !== events.filter((one) => one.ms >= atMs && one.ms < Math.min(endMs, shown.toMs)).length)
              return false;
          }
          return points.length >= 1;
        },
      ),
      { numRuns: 25 },
    );
  });
});
