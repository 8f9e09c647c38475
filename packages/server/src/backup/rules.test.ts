import { describe, expect, it } from 'vitest';
import { backupName, bytesText, dueAt, isNewer, outdated, timeOfName } from './rules.ts';

const at = Date.UTC(2026, 10, 28, 15, 4, 5, 123);
const hour = 3_600_000;

describe('names', () => {
  it('hold the time', () => {
    expect(backupName(at)).toBe('20261128T150405123Z');
    expect(timeOfName('20261128T150405123Z')).toBe(at);
  });
  it.each(['20261128T150405123Z.partial', 'lost+found', '20261128', '20269928T150405123Z'])('reject %s', (name) => {
    expect(timeOfName(name)).toBeUndefined();
  });
  it('beyond the newest ones are outdated', () => {
    expect(outdated(['3', '1', '2', '4'], 2)).toEqual(['1', '2']);
    expect(outdated(['1'], 2)).toEqual([]);
  });
});

describe('a scheduled backup is due', () => {
  const day = 24 * hour;
  it('immediately when there is none', () => {
    expect(dueAt(day, { lastSuccess: undefined, lastFailure: undefined }, at)).toBe(at);
  });
  it('an interval after the last one, over restarts', () => {
    expect(dueAt(day, { lastSuccess: at - hour, lastFailure: undefined }, at)).toBe(at + 23 * hour);
    expect(dueAt(day, { lastSuccess: at - 2 * day, lastFailure: undefined }, at)).toBe(at);
  });
  it('an hour after a failure, or after a shorter interval', () => {
    expect(dueAt(day, { lastSuccess: at - 2 * day, lastFailure: at }, at)).toBe(at + hour);
    expect(dueAt(hour / 2, { lastSuccess: undefined, lastFailure: at }, at)).toBe(at + hour / 2);
  });
});

it.each([
  ['0.2.0', '0.1.9', true],
  ['0.10.0', '0.9.0', true],
  ['1.0.0', '1.0.0', false],
  ['0.1.0', '0.1.1', false],
  ['0.1.0-rc.1', '0.1.0', false],
])('%s newer than %s: %s', (version, other, expected) => {
  expect(isNewer(version, other)).toBe(expected);
});

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [300 * 1024 ** 2, '300 MiB'],
])('writes %s bytes as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
