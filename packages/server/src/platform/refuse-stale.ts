import { versionMissing } from '@fanion/contract';
import { fail } from './fail.ts';

/**
 * Throws `STALE_VERSION` if the caller names another version than the current one. For PUT and PATCH, `http/mount.ts` adds
 * the current state to the details.
 */
export function refuseStale(given: number | undefined, current: number): void {
  if (given === undefined || given === current) return;
  const message = `the current version is ${current}`;
  throw fail('STALE_VERSION', { current, given }, { details: [{ path: 'version', message, current }] });
}

/** As `refuseStale`, for a document that exists and is replaced: throws `INVALID_INPUT` without a version. */
export function requireVersion(given: number | undefined, current: number): void {
  if (given === undefined)
    throw fail(
      'INVALID_INPUT',
      { reason: `version: ${versionMissing}` },
      { details: [{ path: 'version', message: versionMissing }] },
    );
  refuseStale(given, current);
}
