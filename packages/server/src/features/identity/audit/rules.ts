/**
 * The smallest UUIDv7 of a moment. An entry's id contains its time, so a time window is a range of ids, which the index
 * of the list supports.
 */
export function idFloor(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}

/** `roles.create` matches one action, `roles` all actions of an area. */
export function matchesAction(filter: string): { exactly: string } | { area: string } {
  return filter.includes('.') ? { exactly: filter } : { area: filter };
}

const secretName = /pass(word)?|secret|token|hash|authorization|cookie|(^|_)key$/i;
const harmless = new Set(['key', 'flag_key', 'project_key', 'environment_key']);

/** Characters that jsonb rejects: NUL, and halves of surrogate pairs. */
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Deeper values are cut off: people read entries, and a value that cannot be printed must not prevent its removal. */
const maxDepth = 100;

/** Replaces values whose names look like secrets, down to `depth`, and characters that the store rejects. */
export function maskSecrets(value: unknown, depth = maxDepth): unknown {
  if (typeof value === 'string') return value.replace(unstorable, '\uFFFD');
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[cut]';
  if (Array.isArray(value)) return value.map((inner) => maskSecrets(inner, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      secretName.test(name) && !harmless.has(name) && typeof inner === 'string'
        ? '[secret]'
        : maskSecrets(inner, depth - 1),
    ]),
  );
}
