import { describe, expect, it } from 'vitest';
import { caughtBy } from './preview-rules.ts';

const at = (time: string) => Date.parse(`2026-11-22T${time}Z`);
const change = (time: string) => ({ time: `2026-11-22T${time}Z`, name: 'new-checkout' });

describe('a change of a flag', () => {
  it.each([
    ['a minute before', '10:00:00', ['10:01:00'], '10:01:00'],
    ['at the same time', '10:00:00', ['10:00:00'], '10:00:00'],
    ['an hour before', '10:00:00', ['11:00:00'], '11:00:00'],
    ['more than an hour before', '10:00:00', ['11:00:01'], undefined],
    ['after it', '10:00:00', ['09:59:59'], undefined],
    ['before the first of several firings', '10:00:00', ['10:30:00', '09:00:00', '10:10:00'], '10:10:00'],
    ['without any firing', '10:00:00', [], undefined],
  ])('%s is caught or not', (_name, time, firings, fired) => {
    const expected = fired === undefined ? [] : [{ ...change(time), fired_at: `2026-11-22T${fired}.000Z` }];
    expect(caughtBy([change(time)], firings.map(at))).toEqual(expected);
  });
});
