import { explainQuery, validateQuery } from '@fanion/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { TimeRange } from '../../ui/time/time-range.ts';
import type { OqlDiagnostic } from './diagnostics.ts';

/** Judges a query on the server, which knows the fields that were seen. No diagnostics where it cannot be asked. */
export async function validate(ws: string, query: string): Promise<OqlDiagnostic[]> {
  try {
    const { data } = await call(validateQuery, { params: { ws }, body: { query } });
    return data.diagnostics;
  } catch {
    // Typing goes on without a judgement; running the query will tell what is wrong.
    return [];
  }
}

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
