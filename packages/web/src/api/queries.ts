import type { AnyRoute, CallOptions, RouteResponse } from '@fanion/contract';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

/** Maximum number of pages fetched for a full list; 20 pages of 500 is more than any picker can show. */
const MAX_PAGES = 20;

/** A TanStack query for a route. Its key is the route's id and arguments, so `[id]` invalidates all of them. */
export function routeQuery<R extends AnyRoute>(route: R, options: CallOptions<R>) {
  return queryOptions({
    queryKey: [route.id, options] as const,
    queryFn: async ({ signal }): Promise<RouteResponse<R>> => (await call(route, { ...options, signal })).data,
  });
}

/** The workspace for routes that do not have one in their path. */
export function inWorkspace(workspace: string): { workspace: string } {
  return { workspace };
}

type ListRoute = AnyRoute & { readonly list: true };

/** Like `routeQuery`, for a list: returns all pages in one array. */
export function listQuery<R extends ListRoute>(route: R, options: CallOptions<R>) {
  return queryOptions({
    queryKey: [route.id, options, 'all'] as const,
    queryFn: async ({ signal }): Promise<RouteResponse<R>> => {
      const { query } = options as { query?: object };
      const items: unknown[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const { data, meta } = await call(route, {
          ...options,
          query: { ...query, limit: 500, ...(cursor !== undefined && { cursor }) },
          signal,
        } as CallOptions<R>);
        items.push(...(data as unknown[]));
        if (typeof meta.next_cursor !== 'string') break;
        cursor = meta.next_cursor;
      }
      return items as RouteResponse<R>;
    },
  });
}

/** The options of a call, in which parameters of the query may be undefined: the client leaves those out. */
type SparseOptions<R extends AnyRoute> = {
  [K in keyof CallOptions<R>]: K extends 'query'
    ? { [L in keyof CallOptions<R>[K]]: CallOptions<R>[K][L] | undefined }
    : CallOptions<R>[K];
};

/** Rows on a page; the next page is read on demand. */
const PAGE_ROWS = 100;

/** Like `listQuery`, page by page. */
export function pagesQuery<R extends ListRoute>(route: R, options: SparseOptions<R>) {
  return infiniteQueryOptions({
    queryKey: [route.id, 'pages', options] as const,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const { query } = options as { query?: object };
      return call(route, {
        ...options,
        query: { limit: PAGE_ROWS, ...query, ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
        // The options of an unknown route: only the page is known here.
      } as unknown as CallOptions<R>);
    },
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
  });
}
