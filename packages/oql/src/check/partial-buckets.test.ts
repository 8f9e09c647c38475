import { describe, expect, it } from 'vitest';
import { calendarOf } from '../calendar/buckets.ts';
import { partialBuckets } from './partial-buckets.ts';

const ns = (time: string) => BigInt(Date.parse(time)) * 1_000_000n;
const window = (from: string, to: string) => ({ fromNs: ns(from), toNs: ns(to) });
const starts = (found: readonly { readonly fromNs: bigint }[]) =>
  found.map(({ fromNs }) => new Date(Number(fromNs / 1_000_000n)).toISOString());
const minutes = (count: bigint) => ({ column: 'time', widthNs: count * 60_000_000_000n });
const days = (count: bigint, zone: string) => ({
  column: 'time',
  widthNs: count * 86_400_000_000_000n,
  calendar: calendarOf({ unit: 'day', count }, zone),
});
const later = ns('2026-12-01T00:00:00Z');

describe('partial buckets', () => {
  it('are none when the window consists of whole buckets that are over', () => {
    expect(partialBuckets(minutes(5n), window('2026-11-23T10:00:00Z', '2026-11-23T11:00:00Z'), later)).toEqual([]);
  });

  it('are the first and the last one when the window cuts both', () => {
    const found = partialBuckets(minutes(5n), window('2026-11-23T10:02:00Z', '2026-11-23T10:58:00Z'), later);
    expect(starts(found)).toEqual(['2026-11-23T10:00:00.000Z', '2026-11-23T10:55:00.000Z']);
  });

  it('include the bucket that is not over when the window ends in the future', () => {
    const asked = window('2026-11-23T10:00:00Z', '2026-11-23T11:00:00Z');
    expect(starts(partialBuckets(minutes(5n), asked, ns('2026-11-23T10:31:00Z')))).toEqual([
      '2026-11-23T10:30:00.000Z',
    ]);
    expect(partialBuckets(minutes(5n), asked, ns('2026-11-23T10:30:00Z'))).toEqual([]);
  });

  it('are one bucket when the whole window lies in it', () => {
    const found = partialBuckets(minutes(60n), window('2026-11-23T10:02:00Z', '2026-11-23T10:05:00Z'), later);
    expect(starts(found)).toEqual(['2026-11-23T10:00:00.000Z']);
  });

  it('are none when the window has not begun', () => {
    expect(partialBuckets(minutes(5n), window('2026-12-23T10:02:00Z', '2026-12-23T10:05:00Z'), later)).toEqual([]);
  });

  it('follow the days of a time zone, also when one has 25 hours', () => {
    // The clocks go back in Dublin on 2026-10-25.
    const asked = window('2026-10-24T23:00:00Z', '2026-10-26T00:00:00Z');
    expect(partialBuckets(days(1n, 'Europe/Dublin'), asked, later)).toEqual([]);
    const cut = window('2026-10-24T23:00:00Z', '2026-10-25T23:00:00Z');
    expect(starts(partialBuckets(days(1n, 'Europe/Dublin'), cut, later))).toEqual(['2026-10-24T23:00:00.000Z']);
  });

  it('follow the months of a time zone', () => {
    const quarters = {
      column: 'time',
      widthNs: 90n * 86_400_000_000_000n,
      calendar: calendarOf({ unit: 'month', count: 3n }, 'Europe/Dublin'),
    };
    const asked = window('2026-02-01T00:00:00Z', '2026-09-30T23:00:00Z');
    expect(starts(partialBuckets(quarters, asked, later))).toEqual(['2026-01-01T00:00:00.000Z']);
    const cut = window('2026-03-31T23:00:00Z', '2026-09-30T22:59:00Z');
    expect(starts(partialBuckets(quarters, cut, later))).toEqual(['2026-06-30T23:00:00.000Z']);
  });

  it('follow weeks that begin on Mondays', () => {
    const found = partialBuckets(
      days(7n, 'Europe/Dublin'),
      window('2026-11-01T00:00:00Z', '2026-11-09T00:00:00Z'),
      later,
    );
    expect(starts(found)).toEqual(['2026-10-26T00:00:00.000Z']);
  });

  it('begin when the clocks have gone forward, on a day without a midnight', () => {
    // Santiago has no midnight on 2026-09-06: the clocks go from 24:00 to 01:00.
    const found = partialBuckets(
      days(1n, 'America/Santiago'),
      window('2026-09-06T05:00:00Z', '2026-09-07T03:00:00Z'),
      later,
    );
    expect(starts(found)).toEqual(['2026-09-06T04:00:00.000Z']);
  });
});
