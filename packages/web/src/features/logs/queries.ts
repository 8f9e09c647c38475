import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query';
import { askOql, type OqlAnswer, type OqlRequest } from '../../telemetry/oql.ts';
import { absoluteRange } from '../../ui/time/time-range.ts';
import { logsQuery, PAGE_LINES } from './log-search.ts';
import { type OlderThan, olderThan } from './older-lines.ts';

interface LinesRequest extends Omit<OqlRequest, 'query' | 'limit'> {
  readonly conditions: readonly string[];
}

/** The lines of a time range, newest first, page by page. */
export function linesQuery({ conditions, ...scope }: LinesRequest) {
  return infiniteQueryOptions<
    OqlAnswer,
    Error,
    InfiniteData<OqlAnswer, OlderThan | undefined>,
    readonly ['log-lines', LinesRequest],
    OlderThan | undefined
  >({
    queryKey: ['log-lines', { conditions, ...scope }],
    initialPageParam: undefined,
    queryFn: ({ pageParam: older, signal }) => {
      const limit = older ? PAGE_LINES.next : PAGE_LINES.first;
      const range = older ? absoluteRange(older.from, older.last + 1) : scope.range;
      return askOql({ ...scope, query: logsQuery(conditions, limit), range, limit }, signal);
    },
    getNextPageParam: (_, pages) => olderThan(pages, PAGE_LINES),
    // Lines do not change; comparing those of all pages would take longer than drawing them.
    structuralSharing: false,
  });
}
