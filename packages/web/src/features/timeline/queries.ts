import { listAnnotations } from '@fanion/contract';
import { routeQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';
import type { Scope } from '../../app/session.ts';
import type { TimeRange } from '../../ui/time/time-range.ts';
import type { HappeningKind } from './happenings.ts';

export interface HappeningFilter {
  readonly kind?: HappeningKind | undefined;
  readonly service?: string | undefined;
  readonly flag?: string | undefined;
  readonly environment?: string | undefined;
  readonly limit?: number;
}

/** What happened in a window, latest first: its first page. */
export const happeningsQuery = (
  { ws, project }: Scope,
  range: TimeRange,
  { kind, service, flag, environment, limit = 50 }: HappeningFilter,
) => ({
  ...routeQuery(listAnnotations, {
    params: { ws },
    query: {
      ...range,
      project,
      limit,
      ...(kind !== undefined && { kind }),
      ...(service !== undefined && { service }),
      ...(flag !== undefined && { flag }),
      ...(environment !== undefined && { environment }),
    },
  }),
  staleTime: 30_000,
});

/** After somebody wrote or deleted an annotation: lists and the marks of charts. */
export const refreshHappenings = () => invalidate(listAnnotations);
