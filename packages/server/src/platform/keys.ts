import { fail } from './fail.ts';
import { isId } from './ids.ts';

/** A key in the form of an id could never be found: what a path names is looked up as an id first. */
export function refuseIdAsKey(key: string, field: string): void {
  if (!isId(key)) return;
  const message = 'a key must not look like an id';
  throw fail('INVALID_INPUT', { reason: `${field}: ${message}` }, { details: [{ path: field, message }] });
}

/** How often a key that is made of a name gets a number before it gets a random ending. */
const numberedAttempts = 20;

/**
 * Gives `insert` the key, then `key-2`, `key-3` …, until it finds one that is free.
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
