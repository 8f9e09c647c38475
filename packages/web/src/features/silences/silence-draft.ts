import type { createSilence, RouteBodyInput } from '@fanion/contract';
import { type MatcherDraft, namedMatchers, newMatcher } from '../../alerting/matchers.ts';
import { parseWallClock, wallClock } from '../../ui/format/zone.ts';
import type { Silence } from './queries.ts';

type Body = RouteBodyInput<typeof createSilence>;

export const LENGTHS = [
  { value: '30m', label: '30 minutes' },
  { value: '1h', label: '1 hour' },
  { value: '2h', label: '2 hours' },
  { value: '4h', label: '4 hours' },
  { value: '8h', label: '8 hours' },
  { value: '1d', label: '1 day' },
  { value: '3d', label: '3 days' },
  { value: '7d', label: '1 week' },
] as const;
export const DEFAULT_LENGTH = '2h';
/** Instead of a length: a date. */
export const UNTIL = 'until';

const MINUTES: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 };

/** A silence while somebody edits it: every field as the text of its input. */
export interface SilenceDraft {
  readonly matchers: readonly MatcherDraft[];
  /** Local time, as `2026-11-22T14:30`; empty: now. */
  readonly starts: string;
  /** One of LENGTHS, or UNTIL. */
  readonly length: string;
  /** Local time, for UNTIL. */
  readonly ends: string;
  readonly comment: string;
}

export const emptySilence = (): SilenceDraft => ({
  matchers: [newMatcher()],
  starts: '',
  length: DEFAULT_LENGTH,
  ends: '',
  comment: '',
});

/** The draft that changes a silence, or repeats one that is over from now on. */
export function silenceDraftOf({ matchers, status, starts_at, ends_at, comment }: Silence): SilenceDraft {
  return {
    ...emptySilence(),
    matchers: matchers.map(newMatcher),
    comment,
    ...(status === 'pending' && { starts: localText(starts_at) }),
    ...(status !== 'expired' && { length: UNTIL, ends: localText(ends_at) }),
  };
}

/** What is missing before a silence can be saved, by field; empty if nothing is. */
export function missingSilenceParts(draft: SilenceDraft): Partial<Record<keyof SilenceDraft, string>> {
  return {
    ...(namedMatchers(draft.matchers).length === 0 && { matchers: 'Name at least one label' }),
    ...(draft.starts !== '' && Number.isNaN(Date.parse(draft.starts)) && { starts: 'Enter a date and time' }),
    ...(draft.length === UNTIL && Number.isNaN(Date.parse(draft.ends)) && { ends: 'Enter a date and time' }),
    ...(draft.comment.trim() === '' && { comment: 'Enter a reason for your team' }),
  };
}

export function silenceBody({ matchers, starts, length, ends, comment }: SilenceDraft): Body {
  const start = starts === '' ? undefined : momentOf(starts);
  return {
    matchers: namedMatchers(matchers),
    ...(start !== undefined && { starts_at: start.toISOString() }),
    ends_at: length === UNTIL ? momentOf(ends).toISOString() : endOf(start, length),
    comment: comment.trim(),
  };
}

/** By the clock of the server, where the silence starts now. */
function endOf(start: Date | undefined, length: string): string {
  if (start === undefined) return `now+${length}`;
  const minutes = Number.parseInt(length, 10) * (MINUTES[length.slice(-1)] ?? 0);
  return new Date(start.getTime() + minutes * 60_000).toISOString();
}

/** What an input of the type `datetime-local` holds. Seconds are kept: an edit must not move an end. */
function localText(time: string): string {
  return wallClock(Date.parse(time)).toISOString().slice(0, 19);
}

/** The moment that such an input holds, in the chosen zone. */
function momentOf(text: string): Date {
  return new Date(parseWallClock(text) ?? Date.parse(text));
}
