import { z } from 'zod';
import { Email, Id, Time, Version } from '../primitives.ts';
import { route } from '../route.ts';
import { VersionUnlessFirst } from '../versions.ts';

export const RoleRef = z.string().min(1).max(128).meta({ description: 'role id, or owner, admin, editor, viewer' });
export const Member = z.object({
  id: Id,
  user_id: Id,
  email: z.string(),
  name: z.string(),
  role: z.object({ id: Id, key: z.string().nullable(), name: z.string() }),
  created_at: Time,
});
/** An invitation to become a member. */
export const Invitation = z.object({
  id: Id,
  email: z.string(),
  role: z.object({ id: Id, key: z.string().nullable(), name: z.string() }),
  invited_by: z.string().nullable(),
  created_at: Time,
  expires_at: Time,
  status: z.enum(['pending', 'accepted', 'expired']),
});
export const Grant = z.object({ project: z.string(), environment: z.string().nullable(), role: z.string() });

export const listMembers = route({
  id: 'members.list',
  method: 'GET',
  path: '/workspaces/{ws}/members',
  summary: 'List members',
  auth: 'user',
  permission: 'members:read',
  list: true,
  query: { search: z.string().max(200).optional() },
  response: Member,
});
export const addMember = route({
  id: 'members.add',
  example: { body: { email: 'grace@example.com', role: 'editor' } },
  method: 'POST',
  path: '/workspaces/{ws}/members',
  summary: 'Add an account by e-mail, or set the role of a member',
  description:
    'An account that shares a workspace with the caller is added at once. Any other account is invited, and becomes a member when it accepts (`/auth/invitations`). The response is then 202, whether or not the account exists.',
  auth: 'user',
  permission: 'members:write',
  body: z.strictObject({ email: Email, role: RoleRef }),
  response: Member,
  otherStatus: 202,
  accepted: Invitation,
  errors: ['LAST_OWNER', 'ESCALATION', 'LIMIT_REACHED'],
});
export const removeMember = route({
  id: 'members.remove',
  method: 'DELETE',
  path: '/workspaces/{ws}/members/{id}',
  summary: "Remove a member; the member's tokens stop working at once",
  auth: 'user',
  permission: 'members:write',
  errors: ['LAST_OWNER', 'ESCALATION'],
});
export const Grants = z.object({
  grants: z.array(Grant),
  version: Version.meta({ description: 'counts writes of these grants, from 0; send it back on PUT' }),
});
export const getGrants = route({
  id: 'members.get_grants',
  method: 'GET',
  path: '/workspaces/{ws}/members/{id}/grants',
  summary: "Get a member's roles in individual projects and environments",
  auth: 'user',
  permission: 'members:read',
  response: Grants,
});
export const setGrants = route({
  id: 'members.set_grants',
  example: { body: { grants: [{ project: 'default', environment: 'production', role: 'viewer' }], version: 0 } },
  method: 'PUT',
  path: '/workspaces/{ws}/members/{id}/grants',
  summary: "Replace a member's roles in individual projects and environments",
  description:
    'A grant replaces the workspace role in its project or environment, so it can add or remove permissions. A grant on an environment overrides one on its project.',
  auth: 'user',
  permission: 'members:write',
  body: z.strictObject({
    grants: z
      .array(
        z.strictObject({ project: z.string().max(128), environment: z.string().max(128).nullish(), role: RoleRef }),
      )
      .max(500),
    version: VersionUnlessFirst,
  }),
  response: Grants,
  status: 200,
  errors: ['ESCALATION', 'STALE_VERSION'],
});
