import type { Scope } from '../scope.ts';
import { type FlagValues, JUDGED_FLAGS, type Visit } from '../visit.ts';

/** What a metric of the demo counts. */
export const WISHLIST_EVENT = 'added to the wishlist';
/** The effect that the experiment of the demo is to find: 15 % and 32 % of the visits with a page. */
const [PLAIN, HINT] = [0.15, 0.32];
/**
 * The harm that the guarded release of the demo is to find, at a share of pages. A page is several requests, of which one fails: with one
 * page in eight, no look was sure before the release had ended.
 */
const MISSING_PICTURES = 0.5;

/** What the judged flags change on a page: its status, and whether the visitor puts something on the wishlist. */
export function judgePage(frontend: Scope, visit: Visit, flags: FlagValues, status: number): number {
  const hint = flags['wishlist-hint'];
  // Its default: the flags are not evaluated, as in history.
  if (hint === 'off') return status;
  for (const key of JUDGED_FLAGS) frontend.useFlag(key);
  frontend.spend(1);
  if (frontend.random.chance(hint === 'hint' ? HINT : PLAIN))
    frontend.info(WISHLIST_EVENT, { 'user.id': visit.visitor.id });
  if (!flags['image-cdn'] || !frontend.random.chance(MISSING_PICTURES)) return status;
  frontend.error('the image network does not have the pictures of the page', { 'user.id': visit.visitor.id });
  return 502;
}
