import type { AnyRoute, CallOptions, RouteResponse } from '@fanion/contract';
import { queryOptions } from '@tanstack/react-query';
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
