import type { QueryLanguage } from '@fanion/contract';
import { parse } from '@fanion/oql/syntax';
import { chartQuery } from '../alerts/rule-draft.ts';
import type { Indicator } from './queries.ts';

/** Where the events of an indicator are looked at: a page, and its search. */
export interface Place {
  readonly page: 'traces' | 'logs' | 'explore';
  readonly q: string;
  readonly lang?: QueryLanguage;
}

/**
 * The page that lists what failed: traces and logs where the events are spans or lines that are only filtered, else Explore. Of ratios
 * and slices no single event is bad, so Explore shows what they are counted from.
 */
export function failingRows(indicator: Indicator): Place {
  switch (indicator.kind) {
    case 'events': {
      const { source, good } = indicator;
      const conditions = filtersOf(source);
      // The line break ends a comment.
      const failing = `not (${good}\n)`;
      if (conditions !== undefined)
        return {
          page: conditions.source === 'spans' ? 'traces' : 'logs',
          q: [...conditions.where, failing].join(' and '),
        };
      return { page: 'explore', q: `${source}\n| where ${failing}\n| limit 200` };
    }
    case 'ratio':
      return inExplore(indicator, indicator.total, '1m');
    case 'slices':
      return inExplore(indicator, indicator.query, indicator.slice);
  }
}

function inExplore(
  { query_language: lang }: { query_language?: QueryLanguage | undefined },
  q: string,
  bucket: string,
): Place {
  return lang === 'promql' ? { page: 'explore', q, lang } : { page: 'explore', q: chartQuery(q, bucket) ?? q };
}

/** The conditions of a query that only filters spans or logs; undefined for any other. */
function filtersOf(query: string): { source: 'spans' | 'logs'; where: string[] } | undefined {
  const source = /^\s*(spans|logs)\b/.exec(query)?.[1];
  const stages = parse(query).query?.pipeline.stages;
  if ((source !== 'spans' && source !== 'logs') || stages === undefined) return undefined;
  if (stages.some(({ kind }) => kind !== 'where') || /\/\/|#|--/.test(query)) return undefined;
  return {
    source,
    where: stages.map(
      ({ start, end }) =>
        `(${query
          .slice(start, end)
          .replace(/^\s*where\b/, '')
          .trim()})`,
    ),
  };
}
