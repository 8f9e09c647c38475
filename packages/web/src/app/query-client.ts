import { type FetchQueryOptions, QueryClient, type QueryKey } from '@tanstack/react-query';
import { isRetryable } from '../ui/errors.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      // Only transient errors are retried, so that a real error shows immediately.
      retry: (failures, error) => failures < 2 && isRetryable(error),
      retryDelay: (failures) => 400 * 2 ** failures,
    },
  },
});

/**
 * For route loaders: starts to fetch a page's data while its code is still loading, or when the user hovers over its
 * link. Does not wait and never fails; the page itself shows the result.
 */
export function prefetch<T, K extends QueryKey>(query: FetchQueryOptions<T, Error, T, K>): void {
  void queryClient.prefetchQuery(query);
}
