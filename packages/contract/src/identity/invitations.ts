import { z } from 'zod';
import { Email, Id, Name, Password, Time } from '../primitives.ts';
import { route } from '../route.ts';
import { SignedIn, WorkspaceSummary } from './auth.ts';
import { Invitation, RoleRef } from './members.ts';

export const listInvitations = route({
  id: 'invitations.list',
  method: 'GET',
  path: '/workspaces/{ws}/invitations',
  summary: 'List invitations',
  auth: 'user',
  permission: 'members:read',
  list: true,
  response: Invitation,
});
export const createInvitation = route({
  id: 'invitations.create',
  example: { body: { email: 'grace@example.com', role: 'editor' } },
  method: 'POST',
  path: '/workspaces/{ws}/invitations',
  summary: 'Invite by e-mail; the response contains the link, once',
  auth: 'user',
  permission: 'members:write',
  body: z.strictObject({ email: Email, role: RoleRef }),
  response: Invitation.extend({ url: z.string(), mailed: z.boolean() }),
  errors: ['ALREADY_MEMBER', 'ESCALATION', 'LIMIT_REACHED'],
  secret: true,
});
export const removeInvitation = route({
  id: 'invitations.remove',
  method: 'DELETE',
  path: '/workspaces/{ws}/invitations/{id}',
  summary: 'Withdraw an invitation',
  auth: 'user',
  permission: 'members:write',
});
export const getInvitation = route({
  id: 'invitations.get',
  method: 'GET',
  path: '/invitations/{token}',
  summary: 'Get an invitation by its token',
  auth: 'public',
  response: z.object({
    workspace: z.object({ name: z.string() }),
    email: z.string(),
    role: z.string(),
    invited_by: z.string().nullable(),
    expires_at: Time,
    account_exists: z.boolean(),
  }),
  errors: ['INVITATION_NOT_FOUND'],
});
export const acceptInvitation = route({
  id: 'invitations.accept',
  example: { body: { name: 'Grace Hopper', password: 'correct horse battery staple' } },
  method: 'POST',
  path: '/invitations/{token}/accept',
  summary: 'Accept an invitation',
  description:
    'If you are signed in with the invited address, send no body. Otherwise `name` and `password` create the account and sign in.',
  auth: 'public',
  body: z.strictObject({ name: Name.optional(), password: Password.optional() }).optional(),
  response: SignedIn.extend({ workspace: WorkspaceSummary }),
  status: 200,
  errors: ['INVITATION_NOT_FOUND', 'INVITATION_FOR_OTHER', 'UNAUTHENTICATED', 'EMAIL_TAKEN'],
  secret: true,
});

/** An invitation to a workspace, as the invited account sees it. */
export const OwnInvitation = z.object({
  id: Id,
  workspace: z.object({ id: Id, slug: z.string(), name: z.string() }),
  role: z.object({ id: Id, key: z.string().nullable(), name: z.string() }),
  invited_by: z.string().nullable(),
  created_at: Time,
  expires_at: Time,
});
export const listOwnInvitations = route({
  id: 'invitations.list_own',
  method: 'GET',
  path: '/auth/invitations',
  summary: 'List your pending invitations',
  auth: 'session',
  list: true,
  response: OwnInvitation,
});
export const acceptOwnInvitation = route({
  id: 'invitations.accept_own',
  method: 'POST',
  path: '/auth/invitations/{id}/accept',
  summary: 'Accept one of your invitations',
  auth: 'session',
  response: z.object({ workspace: WorkspaceSummary }),
  status: 200,
  errors: ['INVITATION_NOT_FOUND', 'LIMIT_REACHED'],
});
export const declineOwnInvitation = route({
  id: 'invitations.decline_own',
  method: 'DELETE',
  path: '/auth/invitations/{id}',
  summary: 'Decline one of your invitations',
  auth: 'session',
  errors: ['INVITATION_NOT_FOUND'],
});
