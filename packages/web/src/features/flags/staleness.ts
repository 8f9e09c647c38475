import type { Flag } from './types.ts';

/** Days with the same variant after which a temporary flag is stale; the server decides. */
export const STALE_DAYS = 30;
/** Days without an evaluation after which a temporary flag is stale. */
export const UNUSED_DAYS = 14;
const DAY_MS = 86_400_000;

/** Why a flag is stale, worded to follow "it"; null if it is not stale. */
export function staleness(flag: Pick<Flag, 'stale'>, now: number): string | null {
  if (flag.stale === null) return null;
  const days = Math.floor((now - new Date(flag.stale.since).getTime()) / DAY_MS);
  switch (flag.stale.reason) {
    case 'one_variant':
      return `has served the same variant for ${days} days`;
    case 'not_evaluated':
      return `has not been evaluated for ${days} days`;
  }
}
