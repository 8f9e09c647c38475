import type { Flag } from './types.ts';

/** After so many days with one and the same variant a temporary flag is told to be stale; the server decides. */
export const STALE_DAYS = 30;
/** After so many days without an evaluation. */
export const UNUSED_DAYS = 14;
const DAY_MS = 86_400_000;

/** Why a flag is stale, in words that follow "it"; null where it is not. */
export function staleness(flag: Pick<Flag, 'stale'>, now: number): string | null {
  if (flag.stale === null) return null;
  const days = Math.floor((now - new Date(flag.stale.since).getTime()) / DAY_MS);
  switch (flag.stale.reason) {
    case 'one_variant':
      return `has served one and the same variant for ${days} days`;
    case 'not_evaluated':
      return `has not been evaluated for ${days} days`;
  }
}
