import { describe, expect, it } from 'vitest';
import { backfillRange, changedMinutes, dayBefore, dueRange, progressOf } from './indicator-rules.ts';

const minute = 60_000;
const day = 86_400_000;
const at = (text: string) => Date.parse(text);
const shown = ({ fromMs, toMs }: { fromMs: number; toMs: number }) =>
  [fromMs, toMs].map((ms) => new Date(ms).toISOString());
const events = { kind: 'events', source: 'spans', good: 'true' } as const;
const slices = { kind: 'slices', query: 'spans | count', op: '>', threshold: 0, slice: '5m' } as const;
const now = at('2026-11-22T12:07:20Z');

describe('what is counted', () => {
  it('begins 15 minutes before what has been counted, and holds the minute that is not over', () => {
    const range = dueRange(events, now - 30_000, { nowMs: now, settledMs: now });
    expect(range && shown(range)).toEqual(['2026-11-22T11:51:00.000Z', '2026-11-22T12:08:00.000Z']);
  });
  it('holds whole slices whose telemetry has arrived', () => {
    const range = dueRange(slices, at('2026-11-22T12:00:00Z'), { nowMs: now, settledMs: now });
    expect(range && shown(range)).toEqual(['2026-11-22T11:45:00.000Z', '2026-11-22T12:05:00.000Z']);
    const settledMs = at('2026-11-22T12:04:59Z');
    const early = dueRange(slices, at('2026-11-22T12:00:00Z'), { nowMs: now, settledMs });
    expect(early && shown(early)[1]).toBe('2026-11-22T12:00:00.000Z');
  });
  it('is at most a day after a long pause, and nothing far ahead after the clock went back', () => {
    const range = dueRange(events, now - 3 * day, { nowMs: now, settledMs: now });
    expect(range && shown(range)).toEqual(['2026-11-19T11:52:00.000Z', '2026-11-20T00:00:00.000Z']);
    const back = dueRange(events, now + 3 * 3_600_000, { nowMs: now, settledMs: now });
    expect(back && shown(back)).toEqual(['2026-11-22T11:52:00.000Z', '2026-11-22T12:08:00.000Z']);
  });
});

describe('the past', () => {
  it('is two windows, as far as telemetry is kept', () => {
    const window = { kind: 'rolling', period: '7d' } as const;
    expect(shown(backfillRange(events, window, { nowMs: now, keptDays: 30 }))).toEqual([
      '2026-11-08T12:07:00.000Z',
      '2026-11-22T12:07:00.000Z',
    ]);
    expect(shown(backfillRange(slices, window, { nowMs: now, keptDays: 3 }))).toEqual([
      '2026-11-19T12:05:00.000Z',
      '2026-11-22T12:05:00.000Z',
    ]);
  });
  it('is counted by day, backwards', () => {
    const from = at('2026-11-20T06:00:00Z');
    const days: string[][] = [];
    for (let to = now; to > from; ) {
      const part = dayBefore(to, from);
      days.push(shown(part).map((text) => text.slice(8, 16)));
      to = part.fromMs;
    }
    expect(days).toEqual([
      ['22T00:00', '22T12:07'],
      ['21T00:00', '22T00:00'],
      ['20T06:00', '21T00:00'],
    ]);
  });
  it('has progress from 0 to 1', () => {
    const range = { fromMs: 0, toMs: 4 * minute };
    expect([4, 3, 0].map((at) => progressOf(range, at * minute))).toEqual([0, 0.25, 1]);
    expect(progressOf({ fromMs: 5, toMs: 5 }, 5)).toBe(1);
  });
});

describe('minutes', () => {
  it('are written where they differ from what is stored, and emptied where nothing is found any more', () => {
    const stored = [
      { at: 60, good: 1, total: 1 },
      { at: 120, good: 2, total: 2 },
      { at: 180, good: 3, total: 3 },
      { at: 240, good: 0, total: 0 },
    ];
    const found = [
      { at: 60, good: 1, total: 1 },
      { at: 120, good: 2, total: 3 },
      { at: 300, good: 0, total: 1 },
    ];
    expect(changedMinutes(found, stored)).toEqual([
      { at: 120, good: 2, total: 3 },
      { at: 300, good: 0, total: 1 },
      { at: 180, good: 0, total: 0 },
    ]);
  });
});
