import type { Flag } from './flag-page.tsx';

/** After so many days without a decision left to make, a temporary flag is told to be stale. */
export const STALE_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * For how many whole days a temporary flag has served one and the same variant in every environment, where that is long
 * enough to call it stale; else null. A flag with targets, rules or a split still decides something, however old it is.
 */
export function staleness(
  flag: Pick<Flag, 'temporary' | 'archived' | 'created_at' | 'updated_at' | 'environments'>,
  now: number,
): number | null {
  if (!flag.temporary || flag.archived) return null;
  if (flag.environments.some(({ serves }) => serves === 'split')) return null;
  const times = [flag.created_at, ...flag.environments.map(({ updated_at }) => updated_at)];
  const last = Math.max(...times.map((time) => new Date(time).getTime()));
  const days = Math.floor((now - last) / DAY_MS);
  return days >= STALE_DAYS ? days : null;
}
