import { describe, expect, it } from 'vitest';
import { type Decision, isGroupId, isPositionKey, newSince, positionKey, readPosition, stateOf } from './rules.ts';

const at = Date.UTC(2026, 0, 10, 12);
const decided = (state: Decision['state']): Decision => ({
  state,
  changedAt: new Date(at),
  changedBy: 'Ada',
  comment: null,
});

describe('the state of an error', () => {
  it.each([
    ['nobody decided about', undefined, at, 'open', false],
    ['that was resolved after its last occurrence', decided('resolved'), at - 1, 'resolved', false],
    ['that occurred in the moment of its resolution', decided('resolved'), at, 'resolved', false],
    ['that occurred after it was resolved', decided('resolved'), at + 1, 'open', true],
    ['that occurred after it was ignored', decided('ignored'), at + 1, 'ignored', false],
    ['that was opened again', decided('open'), at + 1, 'open', false],
  ] as const)('%s', (_, decision, lastSeen, state, isRegression) =>
    expect(stateOf(decision, lastSeen)).toMatchObject({ state, is_regression: isRegression }),
  );
  it('names who set it and when', () => {
    expect(stateOf(decided('ignored'), at)).toMatchObject({
      changed_by: 'Ada',
      changed_at: '2026-01-10T12:00:00.000Z',
    });
  });
});

describe('an error is new since', () => {
  const deploy = (service: string, version: string, minute: number) => ({
    service,
    version,
    atMs: at + minute * 60_000,
  });
  const deploys = [deploy('cart', '3', 30), deploy('cart', '2', 10), deploy('web', '9', 50)];
  it.each([
    ['the last deploy of its service', ['cart'], 31, '3'],
    ['a deploy in whose first moment it occurred', ['cart'], 30, '3'],
    ['nothing, if it was seen before the last deploy', ['cart'], 29, undefined],
    ['nothing, if its service was not deployed', ['ad'], 60, undefined],
    ['the last deploy of all its services', ['cart', 'web'], 51, '9'],
    ['nothing, if one of its services was deployed later', ['cart', 'web'], 31, undefined],
  ] as const)('%s', (_, services, minute, version) =>
    expect(newSince({ services, firstSeenMs: at + minute * 60_000 }, deploys)?.version).toBe(version),
  );
});

describe('positions', () => {
  const position = { window: { fromNs: 10n, toNs: 20n }, rank: '7', id: 'ab'.repeat(16) };
  it('survive a round trip', () => expect(readPosition(positionKey(position))).toEqual(position));
  it.each([
    '',
    '10 20 7',
    `20 10 7 ${position.id}`,
    `10 20 7 ${position.id} OR 1`,
    `10 20 -7 ${position.id}`,
    '10 20 7 x',
  ])('reject %s', (key) => expect(isPositionKey(key)).toBe(false));
});

it.each([
  ['0123456789abcdef0123456789abcdef', true],
  ['0123456789ABCDEF0123456789abcdef', false],
  ['x', false],
])('accepts %s as an id: %s', (id, isId) => expect(isGroupId(id)).toBe(isId));
