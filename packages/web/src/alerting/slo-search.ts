import type { QueryLanguage } from '@fanion/contract';
import { parse } from '@fanion/oql/syntax';

/** The indicator of an SLO, as the address of its editor has it: `total` makes it a ratio, `query` slices of time. */
export interface SloSearch {
  readonly name?: string;
  readonly source?: string;
  readonly good?: string;
  readonly total?: string;
  readonly query?: string;
  /** Of the queries, if it is not OQL. */
  readonly lang?: string;
}

/** What is good where a query only says which events there are. */
const good = { spans: 'status != error', logs: 'severity < error' } as const;

/**
 * The indicator of a query: its rows are events if it does not aggregate them, else its value is judged by slices of time, as that of PromQL
 * always is.
 */
export function sloSearchOf(query: string, language: QueryLanguage = 'oql'): SloSearch {
  const text = query.trim();
  if (text === '') return {};
  if (language === 'promql') return { query: text, lang: language };
  const stages = parse(text).query?.pipeline.stages ?? [];
  const aggregates = stages.some(({ kind }) => kind === 'stats' || kind === 'aggregate');
  const signal = /^(spans|logs)\b/.exec(text)?.[1];
  if (aggregates || (signal !== 'spans' && signal !== 'logs')) return { query: text };
  return { source: text, good: good[signal] };
}
