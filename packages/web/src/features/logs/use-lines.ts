import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { PAGE_LINES } from './log-search.ts';
import { isCrowded, joined } from './older-lines.ts';
import { linesQuery } from './queries.ts';

/** The lines of the page's time range, newest first, read page by page. */
export function useLines(conditions: readonly string[]) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const { data, ...rest } = useInfiniteQuery({
    ...linesQuery({ conditions, ws, project, environment, range }),
    placeholderData: keepPreviousData,
  });
  return {
    ...rest,
    data: useMemo(() => joined(data?.pages ?? []), [data]),
    isCrowded: isCrowded(data?.pages ?? [], PAGE_LINES),
  };
}
