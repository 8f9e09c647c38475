import { prefetch, queryClient } from '../../app/query-client.ts';
import { type OqlRequest, oqlQuery } from '../../telemetry/oql.ts';
import { resolveRange } from '../../ui/time/time-range.ts';
import { GRID_ROWS, gridQueries, LIST_ROWS, listedMetrics, listQuery, MOST_METRICS } from './metric-grid.ts';

/** Starts to fetch the small charts of all metrics, whose queries name them. */
export async function prefetchGrid(scope: Omit<OqlRequest, 'query' | 'limit'>): Promise<void> {
  const list = await queryClient
    .fetchQuery(oqlQuery({ ...scope, query: listQuery, limit: LIST_ROWS }))
    .catch(() => undefined);
  const window = resolveRange(scope.range, Date.now());
  if (list === undefined || window === null) return;
  const metrics = listedMetrics(list.result).slice(0, MOST_METRICS);
  for (const query of gridQueries(metrics, window.to - window.from))
    prefetch(oqlQuery({ ...scope, query, limit: GRID_ROWS }));
}
