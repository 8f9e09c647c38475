import type { QueryLanguage } from '@fanion/contract';

/** The language of an address: only PromQL is named. */
export function languageOf(named: string | undefined): QueryLanguage {
  return named === 'promql' ? 'promql' : 'oql';
}
