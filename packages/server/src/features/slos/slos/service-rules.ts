import type { SloIndicator } from '@fanion/contract';
import { parse } from '@fanion/oql';
import { isPromql } from './promql-rules.ts';

/** Longer queries are not parsed here, on the event loop. */
const maxCharacters = 4_096;
const fields: ReadonlySet<string> = new Set(['service.name', 'resource.service.name']);

/** The one service that all queries of an indicator read; undefined if they read several, or any, or are in PromQL. */
export function serviceOf(indicator: SloIndicator): string | undefined {
  if (isPromql(indicator)) return undefined;
  const [first, ...others] = queriesOf(indicator).map(serviceIn);
  return others.every((service) => service === first) ? first : undefined;
}

function queriesOf(indicator: SloIndicator): readonly [string, ...string[]] {
  switch (indicator.kind) {
    case 'events':
      return [indicator.source];
    case 'ratio':
      return [indicator.total, indicator.good];
    case 'slices':
      return [indicator.query];
  }
}

/** The service of `where service.name == "…"` among the first conditions of a query. */
function serviceIn(text: string): string | undefined {
  if (text.length > maxCharacters) return undefined;
  const stages = parse(text).query?.pipeline.stages ?? [];
  for (const stage of stages) {
    if (stage.kind !== 'where') return undefined;
    const { predicate } = stage;
    for (const condition of predicate.kind === 'and' ? predicate.operands : [predicate])
      if (
        condition.kind === 'compare' &&
        condition.operator === '==' &&
        condition.left.kind === 'path' &&
        condition.left.index === undefined &&
        fields.has(condition.left.segments.join('.')) &&
        condition.right.kind === 'string'
      )
        return condition.right.value;
  }
  return undefined;
}
