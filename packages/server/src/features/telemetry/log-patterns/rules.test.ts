import { describe, expect, it } from 'vitest';
import { bySeverityName, isPositionKey, positionKey, readPosition, severityFloor, severityName } from './rules.ts';

describe('severities', () => {
  it.each([
    ['trace', 1],
    ['info', 9],
    ['fatal', 21],
  ] as const)('%s begins at %i', (name, number) => {
    expect(severityFloor(name)).toBe(number);
    expect(severityName(number)).toBe(name);
    expect(severityName(number + 3)).toBe(name);
  });
  it('may be unset', () => expect(severityName(0)).toBe('unset'));
  it('are summed by name', () => {
    expect(
      bySeverityName([
        [9, 2],
        [10, 3],
        [17, 1],
      ]),
    ).toEqual({ info: 5, error: 1 });
  });
});

describe('positions', () => {
  const position = { window: { fromNs: 10n, toNs: 20n }, sinceNs: -5n, count: 7, id: '18446744073709551615' };
  it('survive a round trip', () => expect(readPosition(positionKey(position))).toEqual(position));
  it.each(['', '1 2 3 4', '20 10 0 7 1', '10 20 0 7 18446744073709551616', '10 20 0 7.5 1', '10 20 0 7 1 OR 1'])(
    'rejects %s',
    (key) => expect(isPositionKey(key)).toBe(false),
  );
});
