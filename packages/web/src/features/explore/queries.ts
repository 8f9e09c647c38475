import { explainQuery } from '@fanion/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { TimeRange } from '../../ui/time/time-range.ts';

/** How OQL is explained: see `explainQuery` of the contract. */
export function explain(request: {
  ws: string;
  project: string;
  environment: string | undefined;
  range: TimeRange;
  query: string;
}) {
  const { ws, project, environment, range, query } = request;
  return queryOptions({
    queryKey: [explainQuery.id, request] as const,
    queryFn: async ({ signal }) =>
      (
        await call(explainQuery, {
          params: { ws },
          body: { query, from: range.from, to: range.to, project, ...(environment !== undefined && { environment }) },
          signal,
        })
      ).data,
  });
}
