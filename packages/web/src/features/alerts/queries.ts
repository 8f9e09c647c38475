import {
  explainAlertInstance,
  getAlertInstance,
  getAlertRule,
  listAlertInstances,
  listAlertRules,
  type RouteResponse,
} from '@fanion/contract';
import { STATES_POLL } from '../../alerting/instances.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';

export type AlertRule = RouteResponse<typeof getAlertRule>;
export type AlertExplanation = RouteResponse<typeof explainAlertInstance>;
export type AlertInstanceDetail = RouteResponse<typeof getAlertInstance>;

export const alertRulesQuery = (ws: string, project: string) => ({
  ...listQuery(listAlertRules, { params: { ws }, query: { project } }),
  refetchInterval: STATES_POLL,
});

export const alertRuleQuery = (ws: string, id: string) => ({
  ...routeQuery(getAlertRule, { params: { ws, id } }),
  // It is not reloaded while somebody edits it.
  staleTime: Number.POSITIVE_INFINITY,
});

export const alertInstanceQuery = (ws: string, id: string) => ({
  ...routeQuery(getAlertInstance, { params: { ws, id } }),
  refetchInterval: STATES_POLL,
});

export const alertExplanationQuery = (ws: string, id: string) => ({
  ...routeQuery(explainAlertInstance, { params: { ws, id } }),
  // Its window ends when the alert fired, so it hardly changes.
  staleTime: 60_000,
});

/** After a write: reloads the rules and their instances. */
export const refreshAlerts = () => invalidate(listAlertRules, getAlertRule, listAlertInstances, getAlertInstance);
