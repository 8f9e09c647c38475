import { defineErrors } from '../error-definition.ts';

export const identityErrors = defineErrors({
  UNAUTHENTICATED: { code: 'SVC-2001', status: 401, message: 'authentication required: {reason}' },
  LOGIN_FAILED: { code: 'SVC-2002', status: 401, message: 'wrong e-mail address or password' },
  LOGIN_LIMITED: { code: 'SVC-2003', status: 429, message: 'too many login attempts; try again in {seconds} s' },
  SIGNUP_CLOSED: { code: 'SVC-2004', status: 403, message: 'this server allows sign-up by invitation only' },
  EMAIL_TAKEN: {
    code: 'SVC-2005',
    status: 409,
    message: 'an account with this e-mail address already exists; log in instead',
  },
  PASSWORD_WRONG: { code: 'SVC-2006', status: 403, message: 'the current password is wrong' },
  OIDC_PROVIDER_NOT_FOUND: { code: 'SVC-2007', status: 404, message: 'unknown sign-in provider: {slug}' },
  OIDC_FAILED: { code: 'SVC-2008', status: 401, message: 'sign-in with {slug} failed: {reason}' },
  INVITATION_NOT_FOUND: {
    code: 'SVC-2009',
    status: 404,
    message: 'the invitation does not exist, was used or withdrawn, or has expired',
  },
  INVITATION_FOR_OTHER: { code: 'SVC-2010', status: 403, message: 'the invitation is for another e-mail address' },
  CROSS_ORIGIN: {
    code: 'SVC-3001',
    status: 403,
    message: 'cross-origin request rejected: a change with a session cookie must come from {origin}',
  },
  WRONG_CREDENTIAL: {
    code: 'SVC-3002',
    status: 403,
    message: 'wrong kind of credential: {reason}',
  },
  PERMISSION_DENIED: { code: 'SVC-3006', status: 403, message: 'permission denied: {permission} required' },
  ESCALATION: {
    code: 'SVC-3007',
    status: 403,
    message: 'you cannot grant a permission that you do not have: {permission}',
  },
  NOT_FOUND: { code: 'SVC-6001', status: 404, message: 'no such {resource}' },
  WORKSPACE_REQUIRED: {
    code: 'SVC-6002',
    status: 400,
    message: 'you are a member of several workspaces: add ?workspace= with one of {workspaces}',
  },
  KEY_TAKEN: {
    code: 'SVC-6003',
    status: 409,
    message: '{resource} called {key} already exists: choose another name or key',
  },
  ALREADY_MEMBER: { code: 'SVC-6004', status: 409, message: '{email} is already a member' },
  ACCOUNT_NOT_FOUND: {
    code: 'SVC-6005',
    status: 404,
    message: 'no account has this e-mail address; invite it instead',
  },
  LAST_OWNER: {
    code: 'SVC-6006',
    status: 409,
    message: 'a workspace needs an owner: make another member an owner first',
  },
  ROLE_BUILT_IN: { code: 'SVC-6007', status: 409, message: 'the built-in role {name} cannot be changed' },
  ROLE_IN_USE: {
    code: 'SVC-6008',
    status: 409,
    message: 'the role {name} is in use by {count} members, grants or invitations',
  },
  CONFIRMATION_REQUIRED: {
    code: 'SVC-6009',
    status: 422,
    message: 'this also deletes everything in it: confirm with ?confirm={name}',
  },
  LAST_ENVIRONMENT: {
    code: 'SVC-6010',
    status: 409,
    message: 'a project needs an environment: create another one first',
  },
  LIMIT_REACHED: { code: 'SVC-6011', status: 422, message: 'limit reached: at most {limit} {resource}' },
});
