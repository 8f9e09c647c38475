import { describe, expect, it } from 'vitest';
import { newMatcher } from '../../alerting/matchers.ts';
import { emptySilence, missingSilenceParts, silenceBody, silenceDraftOf, UNTIL } from './silence-draft.ts';

const team = { name: 'team', op: '=' as const, value: 'shop' };
const draft = { ...emptySilence(), matchers: [newMatcher(team)], comment: ' down ' };
const silence = {
  id: 'a',
  status: 'active' as const,
  matchers: [team],
  starts_at: '2026-11-22T10:00:00.000Z',
  ends_at: '2026-11-22T12:00:05.000Z',
  comment: 'down',
  matched: 1,
  created_by: null,
  created_at: '2026-11-22T10:00:00.000Z',
};

describe('the draft of a silence', () => {
  it('ends by the clock of the server if it starts now', () => {
    expect(silenceBody(draft)).toEqual({ matchers: [team], ends_at: 'now+2h', comment: 'down' });
  });

  it.each([
    ['30m', 30 * 60_000],
    ['8h', 8 * 3_600_000],
    ['3d', 3 * 86_400_000],
  ])('ends %s after a later start', (length, ms) => {
    const starts = '2026-12-01T08:00';
    const start = new Date(starts);
    expect(silenceBody({ ...draft, starts, length })).toMatchObject({
      starts_at: start.toISOString(),
      ends_at: new Date(start.getTime() + ms).toISOString(),
    });
  });

  it('keeps the end of a silence that is edited, to the second, and starts an active one now', () => {
    expect(silenceBody(silenceDraftOf(silence))).toEqual({
      matchers: [team],
      ends_at: silence.ends_at,
      comment: 'down',
    });
  });

  it('keeps the start of a pending silence', () => {
    expect(silenceBody(silenceDraftOf({ ...silence, status: 'pending' }))).toMatchObject({
      starts_at: silence.starts_at,
    });
  });

  it('repeats a silence that is over from now on', () => {
    expect(silenceBody(silenceDraftOf({ ...silence, status: 'expired' })).ends_at).toBe('now+2h');
  });

  it('names what is missing', () => {
    expect(Object.keys(missingSilenceParts(emptySilence()))).toEqual(['matchers', 'comment']);
    expect(Object.keys(missingSilenceParts({ ...draft, length: UNTIL }))).toEqual(['ends']);
    expect(missingSilenceParts(draft)).toEqual({});
  });
});
