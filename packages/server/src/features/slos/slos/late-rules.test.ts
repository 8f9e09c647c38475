import { expect, it } from 'vitest';
import { backOf, byDay, grownMinutes, nextDue, settledTo } from './late-rules.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const midnight = Date.UTC(2026, 10, 2);

it.each([
  ['a day', midnight, 7 * day],
  ['an hour', midnight + 5 * hour, 12 * hour],
  ['ten minutes', midnight + 10 * minute, 2 * hour],
])('counts further back every %s', (_name, dueMs, back) => {
  expect(backOf(dueMs, 7)).toBe(back);
});

it.each([
  ['the next ten minutes', midnight + 10 * minute, midnight + 12 * minute, midnight + 20 * minute],
  ['the step after a run that took longer', midnight + 10 * minute, midnight + 21 * minute, midnight + 20 * minute],
  ['an hour that a long run has missed', midnight - 70 * minute, midnight - 55 * minute, midnight - hour],
  ['a midnight that a server that was down has missed', midnight - hour, midnight + 5.5 * hour, midnight],
  ['the hours after that midnight', midnight, midnight + 5.5 * hour, midnight + 5 * hour],
])('is due next at %s', (_name, dueMs, nowMs, next) => {
  expect(nextDue(dueMs, nowMs)).toBe(next);
});

it('reads no more than a day at once', () => {
  expect(byDay({ fromMs: midnight - 30 * hour, toMs: midnight + hour })).toEqual([
    { fromMs: midnight, toMs: midnight + hour },
    { fromMs: midnight - day, toMs: midnight },
    { fromMs: midnight - 30 * hour, toMs: midnight - day },
  ]);
  expect(byDay({ fromMs: midnight, toMs: midnight - hour })).toEqual([]);
});

it('keeps what was counted of telemetry that has expired since', () => {
  const stored = [
    { at: 60, good: 5, total: 6 },
    { at: 120, good: 5, total: 6 },
    { at: 180, good: 1, total: 1 },
  ];
  const changed = [
    { at: 0, good: 1, total: 1 },
    { at: 60, good: 5, total: 7 },
    { at: 120, good: 2, total: 2 },
    { at: 180, good: 0, total: 1 },
    { at: 240, good: 0, total: 0 },
  ];
  expect(grownMinutes(changed, stored).map(({ at }) => at)).toEqual([0, 60, 180]);
});

it('settles what the next count a day back does not reach', () => {
  expect(settledTo(midnight + hour, 7)).toBe(midnight - 6 * day);
});
