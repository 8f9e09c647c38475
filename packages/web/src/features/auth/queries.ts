import { getInvitation } from '@fanion/contract';
import { routeQuery } from '../../api/queries.ts';

export const invitationQuery = (token: string) => ({
  ...routeQuery(getInvitation, { params: { token } }),
  retry: false,
});
