/** The dependencies of each key: prerequisites of flags, and segments in the clauses of segments. */
export type DependencyGraph = ReadonlyMap<string, readonly string[]>;

/**
 * The cycle that would arise if `key` required `requires` from now on, as the keys along it with `key` first and last;
 * undefined if there is none. Assumes that the rest of the graph has no cycles, since every write is checked, and
 * searches only for cycles through `key`.
 *
 * @param graph what every other flag of the project requires; an entry for `key` itself is ignored
 */
export function prerequisiteCycle(
  graph: DependencyGraph,
  key: string,
  requires: readonly string[],
): string[] | undefined {
  return cycleThrough(graph, key, requires);
}

/** As `prerequisiteCycle`, for the segments that a segment's clauses name (`segmentsNamed`). */
export function segmentCycle(graph: DependencyGraph, key: string, names: readonly string[]): string[] | undefined {
  return cycleThrough(graph, key, names);
}

/** The part of a clause that names segments. */
interface NamingClause {
  readonly op: string;
  readonly values: readonly unknown[];
}

/** The segments that the clauses of rules name, each once; of a flag's rules or of a segment's. */
export function segmentsNamed(rules: readonly { readonly clauses: readonly NamingClause[] }[]): string[] {
  const clauses = rules.flatMap((rule) => rule.clauses).filter((clause) => clause.op === 'in_segment');
  return [...new Set(clauses.flatMap((clause) => clause.values).filter((value) => typeof value === 'string'))];
}

/**
 * How many dependencies the longest chain through `key` would have, dependents above and requirements below it. The
 * graph must be free of cycles.
 */
export function longestChain(graph: DependencyGraph, key: string, requires: readonly string[]): number {
  const below = new Map(graph).set(key, requires);
  const above = new Map<string, string[]>();
  for (const [dependent, required] of below) {
    for (const name of required) {
      const dependents = above.get(name);
      if (dependents === undefined) above.set(name, [dependent]);
      else dependents.push(dependent);
    }
  }
  return longestFrom(below, key) + longestFrom(above, key);
}

/** Depth first without recursion, so that a long chain does not take the stack. */
function cycleThrough(graph: DependencyGraph, key: string, requires: readonly string[]): string[] | undefined {
  const path: { key: string; next: Iterator<string> }[] = [{ key, next: requires.values() }];
  const seen = new Set<string>();
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const { value, done } = top.next.next();
    if (done === true) path.pop();
    else if (value === key) return [...path.map((node) => node.key), key];
    else if (!seen.has(value)) {
      seen.add(value);
      path.push({ key: value, next: (graph.get(value) ?? []).values() });
    }
  }
  return undefined;
}

/** Longest path from `key`, in edges: nodes in reverse topological order, each the longest below + 1. */
function longestFrom(edges: DependencyGraph, key: string): number {
  const lengths = new Map<string, number>();
  const stack = [key];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = edges.get(top) ?? [];
    const open = lengths.has(top) ? [] : next.filter((name) => !lengths.has(name));
    if (open.length > 0) stack.push(...open);
    else {
      lengths.set(top, Math.max(0, ...next.map((name) => (lengths.get(name) ?? 0) + 1)));
      stack.pop();
    }
  }
  return lengths.get(key) ?? 0;
}
