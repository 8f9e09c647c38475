import { type FetchQueryOptions, QueryClient, type QueryKey } from '@tanstack/react-query';
import { isRetryable } from '../ui/errors.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      // Only faults that pass by themselves are tried again, so that a real error shows at once.
      retry: (failures, error) => failures < 2 && isRetryable(error),
      retryDelay: (failures) => 400 * 2 ** failures,
    },
  },
});

/**
 * For the loaders of routes: begins to fetch what a page will ask for while its code is still on the way, and already
 * when its link is pointed at. Waits for nothing and never fails; the page itself shows what came of it.
 */
export function prefetch<T, K extends QueryKey>(query: FetchQueryOptions<T, Error, T, K>): void {
  void queryClient.prefetchQuery(query);
}
