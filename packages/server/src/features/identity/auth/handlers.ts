import { authRoutes, type Permission, permissionNames, permissions } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { pageOf } from '../../../http/cursor.ts';
import { clearSessionCookie, setDeviceCookie, setSessionCookie } from './cookies.ts';
import { oidcHandlers } from './oidc/handlers.ts';
import type { OidcSignIn } from './oidc/service.ts';
import * as accounts from './service.ts';
import { browserOf } from './sessions.ts';
import { userView } from './views.ts';

const permissionList = permissionNames.map((name: Permission) => ({ name, ...permissions[name] }));

export function authHandlers(
  parts: accounts.AccountsDependencies,
  oidc: OidcSignIn,
  config: { baseUrl: string | undefined },
): MountedRoute[] {
  const { baseUrl } = config;
  return implement(authRoutes, {
    signUp: async ({ body, request, reply, origin }) => {
      const input = {
        email: body.email,
        password: body.password,
        name: body.name,
        workspaceName: body.workspace_name,
      };
      const { user, workspace, session, device } = await accounts.signUp(parts, input, browserOf(request), origin);
      setSessionCookie(request, reply, baseUrl, session);
      setDeviceCookie(request, reply, baseUrl, device);
      const { id, slug, name, created_at } = workspace;
      return { user: userView(user), workspace: { id, slug, name, created_at: created_at.toISOString() } };
    },
    logIn: async ({ body, request, reply, origin }) => {
      const { user, session, device } = await accounts.logIn(parts, body, browserOf(request), origin);
      setSessionCookie(request, reply, baseUrl, session);
      setDeviceCookie(request, reply, baseUrl, device);
      return { user: userView(user) };
    },
    logOut: async ({ caller, request, reply, origin }) => {
      await accounts.logOut(parts, caller, origin);
      clearSessionCookie(request, reply, baseUrl);
      return undefined;
    },
    getMe: async ({ caller }) => {
      const { user, workspaces } = await accounts.me(parts, caller);
      return { user: userView(user), workspaces };
    },
    updateMe: async ({ caller, body, origin }) => ({
      user: userView(await accounts.rename(parts, caller, body.name, origin)),
    }),
    changePassword: async ({ caller, body, origin }) => {
      await accounts.changePassword(parts, caller, { current: body.current_password, next: body.new_password }, origin);
      return undefined;
    },
    listPermissions: async ({ query }) => pageOf(permissionList, query, ({ name }) => name),
    ...oidcHandlers(oidc, config),
  });
}
