import type { QueryLanguage } from '@fanion/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useScope } from '../app/session.ts';
import { oqlQuery } from '../telemetry/oql.ts';
import type { TimeRange } from '../ui/time/time-range.ts';

/** How long answers about the past are used again; milliseconds. */
const FRESH_MS = 60_000;

/** The answer to a query about the past, in the environment of what is edited instead of the page's. Null asks nothing. */
export function useAnswer(
  query: string | null,
  {
    range,
    environment,
    limit,
    language,
    step,
  }: {
    range: TimeRange;
    environment: string | undefined;
    limit?: number;
    language?: QueryLanguage;
    /** Of PromQL. */
    step?: string;
  },
) {
  const { ws, project } = useScope();
  return useQuery({
    ...oqlQuery({ query: query ?? '', ws, project, environment, range, limit, language, step }),
    enabled: query !== null,
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
  });
}
