import { fail } from './fail.ts';

/** Throws `STALE_VERSION` if the caller names another version than the current one. */
export function refuseStale(given: number | undefined, current: number): void {
  if (given === undefined || given === current) return;
  const message = `the current version is ${current}`;
  throw fail('STALE_VERSION', { current, given }, { details: [{ path: 'version', message, current }] });
}
