import { z } from 'zod';
import { type Permission, permissionNames } from '../permissions.ts';
import { Count, Description, Id, Name, Time, Version } from '../primitives.ts';
import { route } from '../route.ts';
import { VersionIfKnown } from '../versions.ts';

export const PermissionName = z.enum(permissionNames as [Permission, ...Permission[]]);
export const Role = z.object({
  id: Id,
  key: z.string().nullable().meta({ description: 'owner, admin, editor, viewer; null for a custom role' }),
  name: z.string(),
  description: z.string(),
  permissions: z.array(PermissionName),
  built_in: z.boolean(),
  members: Count,
  version: Version,
  created_at: Time,
  updated_at: Time,
});
const Permissions = z.array(PermissionName).max(200);

export const listRoles = route({
  id: 'roles.list',
  method: 'GET',
  path: '/workspaces/{ws}/roles',
  summary: 'List roles',
  auth: 'user',
  permission: 'roles:read',
  list: true,
  response: Role,
});
export const createRole = route({
  id: 'roles.create',
  example: { body: { name: 'Flag readers', permissions: ['flags:read'] } },
  method: 'POST',
  path: '/workspaces/{ws}/roles',
  summary: 'Create a custom role',
  auth: 'user',
  permission: 'roles:write',
  body: z.strictObject({ name: Name, description: Description.default(''), permissions: Permissions }),
  response: Role,
  errors: ['KEY_TAKEN', 'ESCALATION', 'LIMIT_REACHED'],
});
export const getRole = route({
  id: 'roles.get',
  method: 'GET',
  path: '/workspaces/{ws}/roles/{id}',
  summary: 'Get a role',
  auth: 'user',
  permission: 'roles:read',
  response: Role,
});
export const updateRole = route({
  id: 'roles.update',
  example: { body: { description: 'Reads flags' } },
  method: 'PATCH',
  path: '/workspaces/{ws}/roles/{id}',
  summary: 'Change a custom role',
  auth: 'user',
  permission: 'roles:write',
  body: z.strictObject({
    name: Name.optional(),
    description: Description.optional(),
    permissions: Permissions.optional(),
    version: VersionIfKnown,
  }),
  response: Role,
  errors: ['KEY_TAKEN', 'ROLE_BUILT_IN', 'ESCALATION', 'STALE_VERSION'],
});
export const removeRole = route({
  id: 'roles.remove',
  method: 'DELETE',
  path: '/workspaces/{ws}/roles/{id}',
  summary: 'Delete a custom role',
  auth: 'user',
  permission: 'roles:write',
  errors: ['ROLE_BUILT_IN', 'ROLE_IN_USE'],
});
