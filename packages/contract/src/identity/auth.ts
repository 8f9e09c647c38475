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
  example: {
    body: {
      email: 'ada@example.com',
      password: 'correct horse battery staple',
      name: 'Ada Lovelace',
      workspace_name: 'Acme',
    },
  },
  method: 'POST',
  path: '/auth/signup',
  summary: 'Sign up',
  auth: 'public',
  description:
    'Creates an account and a workspace with the project `default` and the environments `production` and `development`, and sets the session cookie `svc_session`.',
  body: z.strictObject({ email: Email, password: Password, name: Name, workspace_name: Name.optional() }),
  response: z.object({ user: User, workspace: WorkspaceSummary }),
  errors: ['SIGNUP_CLOSED', 'EMAIL_TAKEN', 'LOGIN_LIMITED'],
  secret: true,
});
export const logIn = route({
  id: 'auth.login',
  example: { body: { email: 'ada@example.com', password: 'correct horse battery staple' } },
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
  summary: 'Start to sign in with an OpenID Connect provider',
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
 * The only query that accepts unknown parameters: providers add their own (`session_state`, `scope`), and a client must
 * ignore them (RFC 6749, 4.1.2).
 */
export const finishOidc = {
  ...route({
    id: 'auth.oidc_callback',
    method: 'GET',
    path: '/auth/oidc/{slug}/callback',
    summary: 'Finish the sign-in; the OpenID Connect provider redirects the browser here',
    description:
      'Signs in and redirects to `return_to`. A failure returns an error; a browser is redirected to `/sign-in?error=SVC-2008&provider=…&reason=…`.',
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
  summary: "Get the caller's account, workspaces and permissions",
  auth: 'user',
  response: z.object({ user: User, workspaces: z.array(MyWorkspace) }),
});
export const updateMe = route({
  id: 'auth.update_me',
  example: { body: { name: 'Ada' } },
  method: 'PATCH',
  path: '/auth/me',
  summary: 'Change your name',
  auth: 'session',
  body: z.strictObject({ name: Name }),
  response: SignedIn,
});
export const changePassword = route({
  id: 'auth.password',
  example: { body: { current_password: 'correct horse battery staple', new_password: 'another horse battery staple' } },
  method: 'POST',
  path: '/auth/password',
  summary: 'Change your password',
  description:
    'Ends all your other sessions. An account created through a sign-in provider sets its first password without `current_password`.',
  auth: 'session',
  body: z.strictObject({ current_password: z.string().max(200).optional(), new_password: Password }),
  errors: ['PASSWORD_WRONG', 'LOGIN_LIMITED'],
});
export const listPermissions = route({
  id: 'auth.permissions',
  method: 'GET',
  path: '/permissions',
  summary: 'List all permissions with their descriptions',
  auth: 'user',
  list: true,
  pageSize: 500,
  response: z.object({
    name: z.enum(Object.keys(permissions) as [string, ...string[]]),
    level: z.enum(['workspace', 'project', 'environment']),
    description: z.string(),
  }),
});
