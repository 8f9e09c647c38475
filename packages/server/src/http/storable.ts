import { fail } from '../platform/fail.ts';

const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/**
 * Throws `INVALID_INPUT` for text that PostgreSQL can store neither as text nor in JSON: NUL, and halves of surrogate
 * pairs. Replacing them would store another value than the one that was written.
 */
export function refuseUnstorable(input: unknown): void {
  const path = findUnstorable(input, []);
  if (path === undefined) return;
  const place = path.join('.').replace(unstorable, '?').slice(0, 200);
  const message = 'has a NUL character or half of a surrogate pair, which cannot be stored';
  throw fail('INVALID_INPUT', { reason: `${place}: ${message}` }, { details: [{ path: place, message }] });
}

function findUnstorable(value: unknown, path: readonly (string | number)[]): readonly (string | number)[] | undefined {
  if (typeof value === 'string') return unstorable.test(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const entries: Iterable<[string | number, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [name, inner] of entries) {
    if (typeof name === 'string' && unstorable.test(name)) return path;
    const found =
      typeof inner === 'string' && !unstorable.test(inner) ? undefined : findUnstorable(inner, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
