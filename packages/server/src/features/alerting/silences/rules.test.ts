import { describe, expect, it } from 'vitest';
import { maxSilenceMs, statusOf, timesProblem } from './rules.ts';

const now = Date.parse('2026-11-22T10:00:00Z');
const minute = 60_000;

describe('a silence', () => {
  it.each([
    ['pending', -1],
    ['active', 0],
    ['active', 59_999],
    ['expired', 60_000],
    ['expired', 100_000],
  ])('is %s %i ms after its start of a minute', (status, after) => {
    expect(statusOf({ startsAt: now, endsAt: now + minute }, now + after)).toBe(status);
  });

  it.each([
    ['starts now and ends later', 0, minute, undefined],
    ['starts later', 10 * minute, 20 * minute, undefined],
    ['started a moment ago', -4 * minute, minute, undefined],
    ['lasts a year', 0, maxSilenceMs, undefined],
    ['started an hour ago', -60 * minute, minute, 'starts_at'],
    ['ended', -2 * minute, -minute, 'ends_at'],
    ['ends now', 0, 0, 'ends_at'],
    ['ends before it starts', 20 * minute, 10 * minute, 'ends_at'],
    ['lasts longer than a year', 0, maxSilenceMs + 1, 'ends_at'],
  ] as const)('that %s gives %4$s', (_name, start, end, path) => {
    expect(timesProblem({ startsAt: now + start, endsAt: now + end }, now)?.path).toBe(path);
  });
});
