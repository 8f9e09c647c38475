import { fail } from './fail.ts';
import { isId } from './ids.ts';

/** A key that looks like an id could never be found, since paths are looked up as ids first. */
export function refuseIdAsKey(key: string, field: string): void {
  if (!isId(key)) return;
  const message = 'a key must not look like an id';
  throw fail('INVALID_INPUT', { reason: `${field}: ${message}` }, { details: [{ path: field, message }] });
}

/** How many numbers are tried for a derived key before a random suffix. */
const numberedAttempts = 20;

/**
 * Calls `insert` with the key, then `key-2`, `key-3` …, until one is free.
 * @param insert undefined: the key is taken
 */
export async function withFreeKey<T>(
  base: string,
  randomEnding: () => string,
  insert: (key: string) => Promise<T | undefined>,
): Promise<T> {
  for (let attempt = 1; attempt <= numberedAttempts; attempt++) {
    const made = await insert(attempt === 1 ? base : `${base}-${attempt}`);
    if (made !== undefined) return made;
  }
  const made = await insert(`${base}-${randomEnding()}`);
  if (made === undefined) throw new Error(`no key is free that begins with ${base}`);
  return made;
}
