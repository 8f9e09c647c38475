/** A module's imports, as the bundler knows them. */
interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** The script of the documentation site, which no page of the application loads. */
const ofDocsSite = /packages\/web\/src\/docs\/|node_modules\/minisearch\//;
/** What reads queries, without what compiles them. */
const ofSyntax =
  /packages\/oql\/src\/((syntax|grammar|foreign|diagnostics|text)\/|schema\/old-names)|node_modules\/@lezer\/(common|lr)\//;
const ofCompiler =
  /packages\/oql\/src\/(?!syntax\/|grammar\/|foreign\/|diagnostics\/|text\/|schema\/old-names)|node_modules\/@(codemirror|lezer\/(?!common|lr))/;

/**
 * The files of the built application. Left to itself, the bundler makes a file of each set of pages that share a module: a
 * page then takes a hundred requests. So what several pages share is one file; the chart, what reads queries, and what
 * compiles and edits them, are files of their own, because they are large and most pages do not need them.
 */
export function chunkGroups() {
  const needsSyntax = reaches(ofSyntax);
  const needsCompiler = reaches(ofCompiler);
  return [
    { name: (id: string) => (ofDocsSite.test(id) ? null : 'entry'), tags: ['$initial' as const], priority: 5 },
    { name: 'chart', test: /(node_modules\/uplot|src\/ui\/chart)\//, priority: 4 },
    {
      name: (id: string, graph: Graph) => (needsSyntax(id, graph) || needsCompiler(id, graph) ? null : 'shared'),
      minShareCount: 2,
      priority: 3,
    },
    {
      name: (id: string, graph: Graph) => (needsCompiler(id, graph) ? null : 'syntax'),
      minShareCount: 2,
      priority: 2,
    },
    { name: 'queries', minShareCount: 2, priority: 1 },
  ];
}

/** Whether a module is one of those that a pattern names, or imports one, itself or through what it imports. */
function reaches(pattern: RegExp): (id: string, graph: Graph) => boolean {
  const known = new Map<string, boolean>();
  return (id, graph) => {
    const seen = new Set<string>();
    const waiting = [id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (pattern.test(next) || known.get(next) === true) {
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
}
