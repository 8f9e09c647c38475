import { membersRoutes } from '@fanion/contract';
import type { FastifyRequest } from 'fastify';
import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import { accepted, implement, type MountedRoute, type Origin, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { isId } from '../../../platform/ids.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import type { MemberGrants } from './grants.ts';
import * as grants from './grants.ts';
import * as members from './service.ts';
import type { MemberRow } from './store.ts';

export { giverOf, heldEverywhere } from './giving.ts';
export { maxMembers, requireRoom } from './guards.ts';
export { lackingFor } from './rules.ts';
export { assignRole } from './service.ts';
export { findMemberByEmail, findMemberOfUser, holdRole, holdRoleByName, insertMember } from './store.ts';

/** Members of a workspace and their grants. */
export const membersFeature = {
  name: 'identity/members',
  routes: handlers,
} satisfies Feature;

/** Invites an account, if there is one, and returns the invitation. The invitations feature implements it. */
export type InviteAccount = (
  workspace: WorkspaceRef,
  caller: UserCaller,
  input: { readonly email: string; readonly role: string },
  request: FastifyRequest,
  origin: Origin,
) => Promise<unknown>;

function handlers(dependencies: FeatureDependencies & { readonly inviteAccount: InviteAccount }): MountedRoute[] {
  return implement(membersRoutes, {
    listMembers: async ({ workspace, query: { search, limit, cursor } }) => {
      const after = decodeCursor(cursor, isId);
      const rows = await members.list(dependencies, workspace, { search, after, limit: limit + 1 });
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.id);
      return page(items.map(memberView), nextCursor);
    },
    addMember: async ({ workspace, caller, body, request, origin }) => {
      const member = await members.add(dependencies, workspace, caller, body, origin);
      if (member !== undefined) return memberView(member);
      return accepted(await dependencies.inviteAccount(workspace, caller, body, request, origin));
    },
    removeMember: async ({ workspace, caller, params, origin }) => {
      await members.remove(dependencies, workspace, caller, params.id, origin);
      return undefined;
    },
    getGrants: async ({ workspace, params }) => grantsView(await grants.grants(dependencies, workspace, params.id)),
    setGrants: async ({ workspace, caller, params, body, origin }) =>
      grantsView(await grants.setGrants(dependencies, workspace, caller, params.id, body, origin)),
  });
}

function memberView({ id, userId, email, name, role, createdAt }: MemberRow) {
  return {
    id,
    user_id: userId,
    email,
    name,
    role: { id: role.id, key: role.key, name: role.name },
    created_at: createdAt.toISOString(),
  };
}

/** In the form that PUT accepts. */
function grantsView({ grants, version }: MemberGrants) {
  return {
    grants: grants.map(({ project, environment, role }) => ({ project, environment, role: role.key ?? role.id })),
    version,
  };
}
