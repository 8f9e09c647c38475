import type { AnyRoute } from '@fanion/contract';
import {
  type FetchInfiniteQueryOptions,
  type FetchQueryOptions,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { connection } from '../api/connection.ts';
import { isRetryable } from '../ui/errors.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      // What the browser says of the network does not count: the server may be on this machine, or away while the network is up.
      networkMode: 'always',
      // Only transient errors are retried, so that a real error shows immediately.
      retry: (failures, error) => failures < 2 && isRetryable(error),
      retryDelay: (failures) => 400 * 2 ** failures,
    },
    mutations: { networkMode: 'always' },
  },
});

// When the server answers again, what failed or may be old is read again.
connection.subscribe(() => {
  if (connection.current().state === 'up') void queryClient.invalidateQueries();
});

/**
 * For route loaders: starts to fetch a page's data while its code is still loading, or when the user hovers over its
 * link. Does not wait and never fails; the page itself shows the result.
 */
export function prefetch<T, K extends QueryKey>(query: FetchQueryOptions<T, Error, T, K>): void {
  void queryClient.prefetchQuery(query);
}

/** The same for a list that is read page by page. */
export function prefetchPages<T, K extends QueryKey, P>(query: FetchInfiniteQueryOptions<T, Error, T, K, P>): void {
  void queryClient.prefetchInfiniteQuery(query);
}

/** After a write: reads again what these routes returned, where a page shows it. */
export async function invalidate(...routes: readonly AnyRoute[]): Promise<void> {
  await Promise.all(routes.map(({ id }) => queryClient.invalidateQueries({ queryKey: [id] })));
}
