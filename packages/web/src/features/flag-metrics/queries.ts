import {
  explainDraft,
  explainMetric,
  getMetric,
  listMetrics,
  type RouteBodyInput,
  type RouteResponse,
} from '@fanion/contract';
import { routeQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';

export type Metric = RouteResponse<typeof getMetric>;
export type Explanation = RouteResponse<typeof explainMetric>;
type Draft = RouteBodyInput<typeof explainDraft>['metric'];

interface Place {
  readonly ws: string;
  readonly project: string;
}

export const metricQuery = ({ ws, project }: Place, id: string) =>
  routeQuery(getMetric, { params: { ws, p: project, id } });

/** `flag`: counts only units that saw it. */
export const draftExplanationQuery = ({ ws, project }: Place, metric: Draft, flag: string | null) =>
  routeQuery(explainDraft, { params: { ws, p: project }, body: { metric, ...(flag !== null && { flag }) } });

export const explanationQuery = ({ ws, project }: Place, id: string, flag: string | null) =>
  routeQuery(explainMetric, { params: { ws, p: project, id }, query: { ...(flag !== null && { flag }) } });

export const refreshMetrics = () => invalidate(listMetrics, getMetric, explainMetric);
