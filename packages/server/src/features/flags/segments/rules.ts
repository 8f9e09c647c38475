/** The segment and all segments that name it, directly or through others. */
export function withDependents(key: string, names: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set([key]);
  // The loop over a set also visits items that are added while it runs.
  for (const needed of found) for (const [dependent, named] of names) if (named.includes(needed)) found.add(dependent);
  return [...found];
}
