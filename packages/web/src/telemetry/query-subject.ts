import { parse } from '@fanion/oql/syntax';

const NAMES: ReadonlySet<string> = new Set(['service.name', 'resource.service.name']);

/** The service that a query is about: all of its rows fulfil `service.name == "…"`. Undefined: several, or another condition. */
export function serviceOf(query: string): string | undefined {
  for (const stage of parse(query).query?.pipeline.stages ?? []) {
    // After others, a name may mean something else.
    if (stage.kind !== 'where') return undefined;
    const { predicate } = stage;
    for (const one of predicate.kind === 'and' ? predicate.operands : [predicate]) {
      if (one.kind !== 'compare' || one.operator !== '==' || one.left.kind !== 'path' || one.right.kind !== 'string')
        continue;
      if (one.left.index === undefined && NAMES.has(one.left.segments.join('.'))) return one.right.value;
    }
  }
  return undefined;
}

/** The flag whose evaluations a query reads. */
export function flagOf(query: string): string | undefined {
  const source = parse(query).query?.pipeline.source;
  return source?.kind === 'flags' ? source.flag : undefined;
}
