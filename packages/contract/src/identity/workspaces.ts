import { z } from 'zod';
import { Key, Name } from '../primitives.ts';
import { route } from '../route.ts';
import { WorkspaceSummary } from './auth.ts';

export const Workspace = WorkspaceSummary.extend({ role: z.string().meta({ description: "the caller's role" }) });
const Confirm = { confirm: z.string().max(200).optional().meta({ description: 'the name of the resource to delete' }) };

export const listWorkspaces = route({
  id: 'workspaces.list',
  method: 'GET',
  path: '/workspaces',
  summary: "List the caller's workspaces",
  auth: 'user',
  list: true,
  response: Workspace,
});
export const createWorkspace = route({
  id: 'workspaces.create',
  example: { body: { name: 'Shop' } },
  method: 'POST',
  path: '/workspaces',
  summary: 'Create a workspace; the caller becomes its owner',
  auth: 'session',
  body: z.strictObject({ name: Name, slug: Key.optional() }),
  response: Workspace,
  errors: ['KEY_TAKEN', 'LIMIT_REACHED'],
});
export const updateWorkspace = route({
  id: 'workspaces.update',
  example: { body: { name: 'Shop' } },
  method: 'PATCH',
  path: '/workspaces/{ws}',
  summary: 'Rename a workspace',
  auth: 'user',
  permission: 'workspace:write',
  body: z.strictObject({ name: Name.optional(), slug: Key.optional() }),
  response: Workspace,
  errors: ['KEY_TAKEN'],
});
export const removeWorkspace = route({
  id: 'workspaces.remove',
  method: 'DELETE',
  path: '/workspaces/{ws}',
  summary: 'Delete a workspace and everything in it',
  auth: 'session',
  permission: 'workspace:write',
  query: Confirm,
  errors: ['CONFIRMATION_REQUIRED'],
});
