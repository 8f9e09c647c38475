import { z } from 'zod';
import { permissions } from '../permissions.ts';
import { Email, Id, Name, Password, Time } from '../primitives.ts';
import { route } from '../route.ts';

export const User = z.object({
  id: Id,
  email: z.string(),
  name: z.string(),
  has_password: z.boolean(),
  created_at: Time,
});
export const WorkspaceSummary = z.object({ id: Id, slug: z.string(), name: z.string(), created_at: Time });
export const MyWorkspace = z.object({
  id: Id,
  slug: z.string(),
  name: z.string(),
  role: z.string(),
  permissions: z.array(z.string()),
});
export const SignedIn = z.object({ user: User });

export const signUp = route({
  id: 'auth.signup',
  method: 'POST',
  path: '/auth/signup',
  summary: 'Sign up',
  auth: 'public',
  description:
    'Makes an account and its workspace with a project `default` and the environments `production` and `development`, and signs in with the cookie `svc_session`.',
  body: z.strictObject({ email: Email, password: Password, name: Name, workspace_name: Name.optional() }),
  response: z.object({ user: User, workspace: WorkspaceSummary }),
  errors: ['SIGNUP_CLOSED', 'EMAIL_TAKEN', 'LOGIN_LIMITED'],
  secret: true,
});
export const logIn = route({
  id: 'auth.login',
  method: 'POST',
  path: '/auth/login',
  summary: 'Log in',
  auth: 'public',
  body: z.strictObject({ email: z.string().trim().toLowerCase().max(254), password: z.string().max(200) }),
  response: SignedIn,
  status: 200,
  errors: ['LOGIN_FAILED', 'LOGIN_LIMITED'],
  secret: true,
});
export const logOut = route({
  id: 'auth.logout',
  method: 'POST',
  path: '/auth/logout',
  summary: 'Log out',
  auth: 'session',
});
export const startOidc = route({
  id: 'auth.oidc_start',
  method: 'GET',
  path: '/auth/oidc/{slug}/start',
  summary: 'Begin signing in with an OpenID Connect provider',
  auth: 'public',
  bodies: 'protocol',
  query: { return_to: z.string().max(2000).optional() },
  response: z.null(),
  otherStatus: 302,
  errors: ['OIDC_PROVIDER_NOT_FOUND', 'OIDC_FAILED', 'LOGIN_LIMITED'],
});
const CallbackQuery = {
  code: z.string().max(4096).optional(),
  state: z.string().max(512).optional(),
  error: z.string().max(512).optional(),
  error_description: z.string().max(4096).optional(),
  iss: z.string().max(2048).optional(),
};
/**
 * The one query that takes parameters it does not know: providers add some of their own (`session_state`, `scope`),
 * and a client has to ignore them (RFC 6749, 4.1.2).
 */
export const finishOidc = {
  ...route({
    id: 'auth.oidc_callback',
    method: 'GET',
    path: '/auth/oidc/{slug}/callback',
    summary: 'Where the OpenID Connect provider sends the browser back to',
    description:
      'Signs in and redirects to `return_to`. What fails is an error, for a browser a redirect to `/sign-in?error=SVC-2008&provider=…&reason=…`.',
    auth: 'public',
    bodies: 'protocol',
    query: CallbackQuery,
    response: z.null(),
    otherStatus: 302,
    errors: ['OIDC_PROVIDER_NOT_FOUND', 'OIDC_FAILED'],
  }),
  query: z.looseObject(CallbackQuery),
};
export const getMe = route({
  id: 'auth.me',
  method: 'GET',
  path: '/auth/me',
  summary: 'The caller: account, workspaces, permissions',
  auth: 'user',
  response: z.object({ user: User, workspaces: z.array(MyWorkspace) }),
});
export const updateMe = route({
  id: 'auth.update_me',
  example: { body: { name: 'Ada' } },
  method: 'PATCH',
  path: '/auth/me',
  summary: 'Change the own name',
  auth: 'session',
  body: z.strictObject({ name: Name }),
  response: SignedIn,
});
export const changePassword = route({
  id: 'auth.password',
  method: 'POST',
  path: '/auth/password',
  summary: 'Change the own password',
  description:
    'Ends all other sessions. An account made through a provider sets its first password without `current_password`.',
  auth: 'session',
  body: z.strictObject({ current_password: z.string().max(200).optional(), new_password: Password }),
  errors: ['PASSWORD_WRONG', 'LOGIN_LIMITED'],
});
export const listPermissions = route({
  id: 'auth.permissions',
  method: 'GET',
  path: '/permissions',
  summary: 'All permissions with their meaning',
  auth: 'user',
  response: z.array(
    z.object({
      name: z.enum(Object.keys(permissions) as [string, ...string[]]),
      level: z.enum(['workspace', 'project', 'environment']),
      description: z.string(),
    }),
  ),
});
