import { listAlertInstances, type RouteResponse } from '@fanion/contract';
import { listQuery } from '../api/queries.ts';

export type AlertInstance = RouteResponse<typeof listAlertInstances>[number];

/** How often pages that show states ask again; milliseconds. */
export const STATES_POLL = 10_000;

/** Instances of one rule, or of all rules of the workspace: pending, firing, or resolved within a day. */
export const alertInstancesQuery = (ws: string, rule?: string) => ({
  ...listQuery(listAlertInstances, { params: { ws }, query: rule === undefined ? {} : { rule } }),
  refetchInterval: STATES_POLL,
});

/** Whether it is notified as firing. */
export function isFiring({ state }: Pick<AlertInstance, 'state'>): boolean {
  return state === 'firing' || state === 'recovering' || state === 'no_data' || state === 'error';
}
