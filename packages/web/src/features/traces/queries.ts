import { getTrace } from '@fanion/contract';
import { routeQuery } from '../../api/queries.ts';

export const traceQuery = (ws: string, trace_id: string) => ({
  ...routeQuery(getTrace, { params: { ws, trace_id }, query: { include: 'logs,flags' } }),
  staleTime: 60_000,
});
