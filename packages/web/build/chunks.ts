/** A module's imports, as the bundler knows them. */
interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

const ofQueries = /packages\/oql\/|node_modules\/@(codemirror|lezer)\//;

/**
 * The files of the built application. Left to itself, the bundler makes a file of each set of pages that share a module: a
 * page then takes a hundred requests. So what several pages share is one file; the chart, and what compiles and edits
 * queries, are files of their own, because they are large and most pages do not need them.
 */
export function chunkGroups() {
  const known = new Map<string, boolean>();
  /** Whether a module needs the compiler or the editor of queries, itself or through what it imports. */
  const needsQueries = (id: string, graph: Graph): boolean => {
    const seen = new Set<string>();
    const waiting = [id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (ofQueries.test(next) || known.get(next) === true) {
        known.set(id, true);
        return true;
      }
      if (seen.has(next) || known.get(next) === false) continue;
      seen.add(next);
      waiting.push(...(graph.getModuleInfo(next)?.importedIds ?? []));
    }
    for (const one of seen) known.set(one, false);
    return false;
  };
  return [
    { name: 'entry', tags: ['$initial' as const], priority: 4 },
    { name: 'chart', test: /(node_modules\/uplot|src\/ui\/chart)\//, priority: 3 },
    {
      name: (id: string, graph: Graph) => (needsQueries(id, graph) ? null : 'shared'),
      minShareCount: 2,
      priority: 2,
    },
    { name: (id: string, graph: Graph) => (needsQueries(id, graph) ? 'queries' : null), minShareCount: 2, priority: 1 },
  ];
}
