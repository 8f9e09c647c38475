/** The segment and every one that names it, directly or through others. */
export function withDependents(key: string, names: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set([key]);
  // A set's loop also visits what is added while it runs.
  for (const needed of found) for (const [dependent, named] of names) if (named.includes(needed)) found.add(dependent);
  return [...found];
}
