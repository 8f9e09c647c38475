import { QueryClient } from '@tanstack/react-query';
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
