/** A silence holds from its start until its end; the end does not belong to it. */
export interface SilenceTimes {
  readonly startsAt: number;
  readonly endsAt: number;
}

export type SilenceStatus = 'pending' | 'active' | 'expired';

export function statusOf({ startsAt, endsAt }: SilenceTimes, now: number): SilenceStatus {
  if (now >= endsAt) return 'expired';
  return now < startsAt ? 'pending' : 'active';
}

/** Longest time of a silence. */
export const maxSilenceMs = 366 * 86_400_000;
/** How far in the past a silence may start: a client's clock may differ. */
const pastStartMs = 300_000;

/** What is wrong with the times of a new silence, in words for its author. */
export function timesProblem(
  { startsAt, endsAt }: SilenceTimes,
  now: number,
): { readonly path: 'starts_at' | 'ends_at'; readonly message: string } | undefined {
  if (endsAt <= now) return { path: 'ends_at', message: 'is in the past' };
  if (endsAt <= startsAt) return { path: 'ends_at', message: 'must be after starts_at' };
  if (startsAt < now - pastStartMs) return { path: 'starts_at', message: 'is in the past: leave it out to start now' };
  if (endsAt - Math.max(startsAt, now) > maxSilenceMs)
    return { path: 'ends_at', message: 'is more than 366 days after the start: disable the rule instead' };
  return undefined;
}
