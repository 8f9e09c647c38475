import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChannelTerms, decide, forgotten, type Member, type Sent } from './flush-rules.ts';

const now = Date.parse('2026-11-22T10:00:00Z');
const minute = 60_000;
const member = (id: string, isFiring: boolean, changes: Partial<Member> = {}): Member => ({
  id,
  isFiring,
  isMuted: false,
  hasLeft: false,
  ...changes,
});
const terms: ChannelTerms = { sendResolved: true, repeatIntervalMs: 10 * minute, isAwaiting: false, hasLeft: false };
const group = (firing: readonly number[], resolved: readonly number[]) => [
  ...firing.map((id) => member(`${id}`, true)),
  ...resolved.map((id) => member(`${id}`, false)),
];
const told = (firing: readonly number[], resolved: readonly number[], agoMs: number): Sent => ({
  firing: firing.map(String),
  resolved: resolved.map(String),
  at: now - agoMs,
});

describe('a flush', () => {
  /**
   * The cases of TestDedupStageNeedsUpdate in Alertmanager's notify/notify_test.go (https://github.com/prometheus/alertmanager at
   * 68fb2d5, Apache-2.0, The Prometheus Authors), in our form.
   */
  it.each([
    ['the first alerts', undefined, [2, 3, 4], [], true, 'first'],
    ['alerts that resolved before they were sent', undefined, [], [2, 3, 4], true, null],
    ['another alert that fires', told([1, 2, 3], [], 0), [2, 3, 4], [], true, 'new_alerts'],
    ['what was sent at an unknown time', told([1, 2, 3], [], now), [1, 2, 3], [], true, 'repeat'],
    ['the same alerts before the repeat interval is over', told([1, 2, 3], [], 9 * minute), [1, 2, 3], [], true, null],
    ['the same alerts after it', told([1, 2, 3], [], 11 * minute), [1, 2, 3], [], true, 'repeat'],
    ['other resolved alerts after it', told([], [1, 2, 3], 11 * minute), [], [3, 4, 5], true, null],
    ['a resolved alert, unwanted', told([1, 2], [3], 9 * minute), [1], [2, 3], false, null],
    ['a resolved alert', told([1, 2], [3], 9 * minute), [1], [2, 3], true, 'resolved'],
    ['the last resolved alert, unwanted', told([1, 2], [3], 9 * minute), [], [1, 2, 3], false, 'all_resolved'],
    ['the last resolved alert', told([1, 2], [3], 9 * minute), [], [1, 2, 3], true, 'all_resolved'],
  ] as const)('decides as Alertmanager does about %s', (_name, sent, firing, resolved, sendResolved, reason) => {
    expect(decide(group(firing, resolved), sent, { ...terms, sendResolved }, now)?.reason ?? null).toBe(reason);
  });

  it('sends resolved alerts only to channels that want them, and counts them as told', () => {
    const sent = told([1, 2], [], minute);
    const unwanted = { ...terms, sendResolved: false };
    expect(decide(group([], [1, 2]), sent, unwanted, now)).toEqual({
      reason: 'all_resolved',
      send: null,
      sent: { firing: [], resolved: ['1', '2'], at: now },
    });
    expect(decide(group([1, 3], [2]), sent, unwanted, now)?.send).toEqual({ firing: ['1', '3'], resolved: [] });
    expect(decide(group([1, 3], [2]), sent, terms, now)?.send).toEqual({ firing: ['1', '3'], resolved: ['2'] });
  });

  it('repeats nothing while a message is on its way, and reports what changed', () => {
    const awaiting = { ...terms, isAwaiting: true };
    const sent = told([1, 2], [], 11 * minute);
    expect(decide(group([1, 2], []), sent, awaiting, now)).toBeNull();
    expect(decide(group([1, 2, 3], []), sent, awaiting, now)?.reason).toBe('new_alerts');
    expect(decide(group([1], [2]), sent, awaiting, now)?.reason).toBe('resolved');
  });

  it('leaves out what is muted, and sends nothing where everything is', () => {
    const muted = [member('1', true, { isMuted: true }), member('2', true)];
    expect(decide(muted, undefined, terms, now)?.send).toEqual({ firing: ['2'], resolved: [] });
    expect(decide([member('1', false, { isMuted: true })], told([1], [], minute), terms, now)).toBeNull();
  });

  it('reports an alert again after its silence', () => {
    const afterwards = decide([member('1', true)], { firing: [], resolved: [], at: now - minute }, terms, now);
    expect(afterwards?.reason).toBe('first');
  });

  it('only sends the resolution of an alert that the routing sends elsewhere by now, and does not repeat it', () => {
    const left = (isFiring: boolean) => [member('1', isFiring, { hasLeft: true })];
    expect(decide(left(true), undefined, terms, now)).toBeNull();
    expect(decide(left(true), told([1], [], 11 * minute), terms, now)).toBeNull();
    expect(decide(left(false), told([1], [], minute), terms, now)?.reason).toBe('all_resolved');
  });

  it('only sends resolutions to a channel that the policy does not use any more', () => {
    const gone = { ...terms, hasLeft: true };
    expect(decide(group([1, 2], []), told([1], [], 11 * minute), gone, now)).toBeNull();
    expect(decide(group([2], [1]), told([1], [], minute), gone, now)?.send).toEqual({ firing: [], resolved: ['1'] });
  });

  it('tells each channel of every alert that fires and can be heard, once until something changes', () => {
    const one = fc.record({ isFiring: fc.boolean(), isMuted: fc.boolean() });
    const history = fc.array(fc.array(one, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(history, fc.boolean(), (flushes, sendResolved) => {
        let sent: Sent | undefined;
        for (const [i, states] of flushes.entries()) {
          const members = states.map((state, id) => member(`${id}`, state.isFiring, { isMuted: state.isMuted }));
          const at = now + i * minute;
          const flush = decide(members, sent, { ...terms, sendResolved, repeatIntervalMs: 1e12 }, at);
          sent = flush?.sent ?? sent;
          const heard = members.filter(({ isFiring, isMuted }) => isFiring && !isMuted).map(({ id }) => id);
          expect(sent?.firing ?? []).toEqual(expect.arrayContaining(heard));
          expect(decide(members, sent, { ...terms, sendResolved, repeatIntervalMs: 1e12 }, at)).toBeNull();
        }
      }),
    );
  });
});

describe('after a flush, a group', () => {
  it('forgets what has resolved', () => {
    expect(forgotten(group([1], [2, 3]), [])).toEqual(['2', '3']);
  });
  it('keeps a muted resolution that a channel waits for', () => {
    const members = [member('1', false, { isMuted: true }), member('2', false, { isMuted: true })];
    expect(forgotten(members, [told([1], [], 0)])).toEqual(['2']);
  });
});
