import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { askOql } from '../../telemetry/oql.ts';
import { absoluteRange } from '../../ui/time/time-range.ts';
import { LIMIT } from './log-search.ts';
import { isCrowded, joined, type OlderThan, olderThan } from './older-lines.ts';

/** The lines of the page's time range, newest first, read page by page. */
export function useLines(query: string) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const request = { query, ws, project, environment, range, limit: LIMIT };
  const { data, ...rest } = useInfiniteQuery({
    queryKey: ['log-lines', request] as const,
    initialPageParam: undefined as OlderThan | undefined,
    queryFn: ({ pageParam, signal }) =>
      askOql(pageParam ? { ...request, range: absoluteRange(pageParam.from, pageParam.last + 1) } : request, signal),
    getNextPageParam: (last, pages) => olderThan(last, pages[0] ?? last, LIMIT),
    placeholderData: keepPreviousData,
  });
  return {
    ...rest,
    data: useMemo(() => joined(data?.pages ?? []), [data]),
    isCrowded: isCrowded(data?.pages ?? [], LIMIT),
  };
}
