import { isDeepStrictEqual } from 'node:util';

/**
 * Whether a write changes nothing, as JSON stores it: then it is not a new version and leaves no audit entry. A field that is
 * undefined equals one that is absent.
 */
export function isUnchanged(before: unknown, after: unknown): boolean {
  const stored = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
  return isDeepStrictEqual(stored(before), stored(after));
}
