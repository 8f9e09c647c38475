/** Pending changes of a list of keys; a key is never in both sets. */
export interface KeyChanges {
  added: ReadonlySet<string>;
  removed: ReadonlySet<string>;
}

export const NO_CHANGES: KeyChanges = { added: new Set(), removed: new Set() };

/** Parses pasted keys, separated by lines or commas; drops empty and duplicate keys. */
export function readKeys(text: string): string[] {
  return [...new Set(text.split(/[\n,]/).map((key) => key.trim()))].filter((key) => key !== '');
}

/** Adds keys to a list: existing keys do not change, and keys marked for removal are kept. */
export function addKeys(had: ReadonlySet<string>, { added, removed }: KeyChanges, keys: readonly string[]): KeyChanges {
  const wanted = new Set(keys);
  return {
    added: new Set([...added, ...keys.filter((key) => !had.has(key))]),
    removed: new Set([...removed].filter((key) => !wanted.has(key))),
  };
}

/** Marks a key for removal, or reverts that. */
export function toggleKey(had: ReadonlySet<string>, { added, removed }: KeyChanges, key: string): KeyChanges {
  if (!had.has(key)) return { added: without(added, key), removed };
  return { added, removed: removed.has(key) ? without(removed, key) : new Set([...removed, key]) };
}

function without(keys: ReadonlySet<string>, key: string): Set<string> {
  const rest = new Set(keys);
  rest.delete(key);
  return rest;
}
