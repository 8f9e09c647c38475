import { getInvitation, getMeta } from '@fanion/contract';
import { routeQuery } from '../../api/queries.ts';

export const metaQuery = { ...routeQuery(getMeta, {}), staleTime: 5 * 60_000 };
export const invitationQuery = (token: string) => ({
  ...routeQuery(getInvitation, { params: { token } }),
  retry: false,
});
