import { explainErrorGroup, getErrorGroup, listErrorGroups, type RouteResponse } from '@fanion/contract';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { pagesQuery, routeQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';
import type { Scope } from '../../app/session.ts';
import type { TimeRange } from '../../ui/time/time-range.ts';

export type ErrorGroup = RouteResponse<typeof listErrorGroups>[number];
export type ErrorDetail = RouteResponse<typeof getErrorGroup>;
export type ErrorState = ErrorGroup['state'];

export interface ErrorSearch {
  readonly environment: string | undefined;
  readonly service: string | undefined;
  readonly search: string | undefined;
  readonly state: ErrorState | undefined;
  readonly sort: 'count' | 'last_seen' | 'first_seen';
}

/** The errors of a window, page by page. */
export const errorsQuery = ({ ws, project }: Scope, range: TimeRange, search: ErrorSearch) =>
  infiniteQueryOptions({
    ...pagesQuery(listErrorGroups, { params: { ws }, query: { ...range, project, ...search } }),
    placeholderData: keepPreviousData,
  });

export const errorQuery = (
  { ws, project }: Scope,
  range: TimeRange,
  { id, environment }: { readonly id: string; readonly environment: string | undefined },
) =>
  routeQuery(getErrorGroup, {
    params: { ws, id },
    query: { ...range, project, ...(environment !== undefined && { environment }) },
  });

/** What causes an error, by the same window. */
export const explainedErrorQuery = (
  { ws, project }: Scope,
  range: TimeRange,
  { id, environment }: { readonly id: string; readonly environment: string | undefined },
) =>
  routeQuery(explainErrorGroup, {
    params: { ws, id },
    query: { ...range, project, ...(environment !== undefined && { environment }) },
  });

/** After a state was set. */
export const refreshErrors = () => invalidate(listErrorGroups, getErrorGroup);
