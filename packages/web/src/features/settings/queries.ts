import { listInvitations, listMembers, listPermissions, listRoles, listTokens } from '@fanion/contract';
import { listQuery, routeQuery } from '../../api/queries.ts';

export const membersQuery = (ws: string) => listQuery(listMembers, { params: { ws } });
export const invitationsQuery = (ws: string) => listQuery(listInvitations, { params: { ws } });
export const rolesQuery = (ws: string) => listQuery(listRoles, { params: { ws } });
export const permissionsQuery = { ...routeQuery(listPermissions, {}), staleTime: 10 * 60_000 };
export const tokensQuery = (workspace: string, kind: 'api' | 'sdk') =>
  listQuery(listTokens, { query: { workspace, kind } });
