import { describe, expect, it } from 'vitest';
import { newMatcher } from '../../alerting/matchers.ts';
import { intervalDraftOf, intervalOf, intervalText, newInterval } from './interval-draft.ts';
import { missingPolicyParts, newPolicy, policyBody, policyDraftOf } from './policy-draft.ts';
import { movesOf, partsOf, possibleParents, siblingsOf, treeOf } from './policy-tree.ts';
import type { Policy } from './queries.ts';

function policy(id: string, parent: string | null, part: Partial<Policy> = {}): Policy {
  return {
    id,
    name: id,
    parent,
    position: 0,
    matchers: parent === null ? [] : [{ name: 'team', op: '=', value: id }],
    channels: null,
    group_by: null,
    group_wait: null,
    group_interval: null,
    repeat_interval: null,
    continue: false,
    mute: [],
    active: [],
    effective: { channels: [], group_by: [], group_wait: '30s', group_interval: '5m', repeat_interval: '4h' },
    version: 1,
    created_by: null,
    updated_by: null,
    created_at: '2026-11-22T10:00:00.000Z',
    updated_at: '2026-11-22T10:00:00.000Z',
    ...part,
  };
}

const policies = [
  policy('root', null),
  policy('a', 'root', { position: 0 }),
  policy('aa', 'a'),
  policy('aaa', 'aa'),
  policy('b', 'root', { position: 1 }),
  policy('c', 'root', { position: 2 }),
];

describe('the tree of policies', () => {
  it('nests policies below their parents, in order', () => {
    const names = (node: ReturnType<typeof treeOf>): unknown => [node?.policy.id, ...(node?.children ?? []).map(names)];
    expect(names(treeOf(policies))).toEqual(['root', ['a', ['aa', ['aaa']]], ['b'], ['c']]);
    expect(treeOf([])).toBeUndefined();
  });

  it('never offers a parent that would close a circle', () => {
    expect(possibleParents(policies, 'a').map(({ id }) => id)).toEqual(['root', 'b', 'c']);
    expect(possibleParents(policies, 'c').map(({ id }) => id)).toEqual(['root', 'a', 'aa', 'aaa', 'b']);
  });

  it.each([
    ['b', -1, { b: 0, a: 1 }],
    ['b', 1, { c: 1, b: 2 }],
    ['a', -1, {}],
    ['c', 1, {}],
  ] as const)('moves %s by %i', (id, by, expected) => {
    const moves = movesOf(siblingsOf(policies, 'root'), id, by);
    expect(Object.fromEntries(moves.map(({ policy, position }) => [policy.id, position]))).toEqual(expected);
  });

  it('gives siblings that share a position their own', () => {
    const same = [policy('x', 'root'), policy('y', 'root'), policy('z', 'root')];
    const moves = movesOf(same, 'z', -1);
    expect(moves.map(({ policy, position }) => [policy.id, position])).toEqual([
      ['z', 1],
      ['y', 2],
    ]);
  });

  it('lights the path of a match and its end', () => {
    const path = ['root', 'a', 'aa'].map((id) => ({ id, name: id }));
    const settings = { channels: [], group: {}, group_wait: '0s', group_interval: '5m', repeat_interval: '4h' };
    const part = partsOf([{ id: 'aa', path, muted: false, ...settings }]);
    expect(['root', 'a', 'aa', 'aaa', 'b'].map(part)).toEqual(['path', 'path', 'end', 'out', 'out']);
  });
});

describe('the draft of a policy', () => {
  it.each([
    { group_by: null },
    { group_by: [] },
    { group_by: ['...'] },
    { group_by: ['service.name'] },
    { channels: [] },
    { channels: ['x'], group_wait: '0s', repeat_interval: '1d', continue: true },
    {
      mute: [
        { weekdays: ['saturday', 'sunday'], times: [{ start: '00:00', end: '06:00' }], time_zone: 'Europe/Berlin' },
      ],
    },
  ])('writes back what it read: %o', (part) => {
    expect(policyBody(policyDraftOf(policy('a', 'root', part)))).toMatchObject({
      channels: null,
      group_by: null,
      group_wait: null,
      ...part,
    });
  });

  it('asks for matchers except for the root', () => {
    const draft = { ...newPolicy('root'), name: 'Shop' };
    expect(Object.keys(missingPolicyParts(draft, false))).toEqual(['matchers']);
    expect(missingPolicyParts(draft, true)).toEqual({});
    const named = { ...draft, matchers: [newMatcher({ name: 'team', op: '=', value: '' })] };
    expect(missingPolicyParts(named, false)).toEqual({});
    expect(Object.keys(missingPolicyParts({ ...named, grouping: 'labels' }, false))).toEqual(['group_by']);
  });

  it('refuses an interval that would mute always', () => {
    const draft = { ...newPolicy('root'), name: 'Shop' };
    expect(Object.keys(missingPolicyParts({ ...draft, mute: [newInterval('UTC')] }, true))).toEqual(['mute']);
    expect(missingPolicyParts({ ...draft, mute: [{ ...newInterval(''), months: '12' }] }, true)).toEqual({});
  });
});

describe('time intervals', () => {
  it('reads times and lists, and leaves empty fields out', () => {
    const draft = { ...newInterval(''), times: '09:00-12:00, 13:00 – 17:00', weekdays: ' monday:friday ' };
    const interval = {
      times: [
        { start: '09:00', end: '12:00' },
        { start: '13:00', end: '17:00' },
      ],
      weekdays: ['monday:friday'],
    };
    expect(intervalOf(draft)).toEqual(interval);
    expect(intervalOf(intervalDraftOf(interval))).toEqual(interval);
  });

  it('hands incomplete times to the server, which names them', () => {
    expect(intervalOf({ ...newInterval(''), times: '9' })).toEqual({ times: [{ start: '9', end: '' }] });
  });

  it.each([
    [{}, 'always (UTC)'],
    [{ weekdays: ['saturday', 'sunday'], time_zone: 'Europe/Berlin' }, 'saturday, sunday (Europe/Berlin)'],
    [{ days_of_month: ['-3:-1'], times: [{ start: '00:00', end: '06:00' }] }, 'day -3:-1, 00:00–06:00 (UTC)'],
  ])('describes %o', (interval, text) => {
    expect(intervalText(interval)).toBe(text);
  });
});
