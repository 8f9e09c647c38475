import { invitationsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { isId } from '../../../platform/ids.ts';
import type { Feature } from '../../feature.ts';
import { browserOf, createDevices, publicOrigin, setDeviceCookie, setSessionCookie, userView } from '../auth/index.ts';
import type { InviteAccount } from '../members/index.ts';
import { statusOf } from './rules.ts';
import type { InvitationsDependencies } from './service.ts';
import * as invitations from './service.ts';
import type { InvitationRow } from './store.ts';

/** Invitations to a workspace, and the public page behind their links. */
export const invitationsFeature = {
  name: 'identity/invitations',
  routes: handlers,
} satisfies Feature;

/** A table, and as long as the list of routes: each entry is a step of the product and the form of its answer. */
function handlers(
  dependencies: InvitationsDependencies & {
    readonly config: { readonly baseUrl: string | undefined; readonly secretKey: Buffer };
  },
): MountedRoute[] {
  const { baseUrl, secretKey } = dependencies.config;
  const devices = createDevices(secretKey);
  const view = (row: InvitationRow) => invitationView(row, dependencies.clock.now());
  return implement(invitationsRoutes, {
    listInvitations: async ({ workspace, query: { limit, cursor } }) => {
      const rows = await invitations.list(dependencies, workspace, {
        after: decodeCursor(cursor, isId),
        limit: limit + 1,
      });
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.id);
      return page(items.map(view), nextCursor);
    },
    createInvitation: async ({ workspace, caller, body, request, origin }) => {
      const at = publicOrigin(request, baseUrl);
      const { invitation, url, mailed } = await invitations.create(dependencies, workspace, caller, body, at, origin);
      return { ...view(invitation), url, mailed };
    },
    removeInvitation: async ({ workspace, caller, params, origin }) => {
      await invitations.remove(dependencies, workspace, caller, params.id, origin);
      return undefined;
    },
    getInvitation: async ({ params }) => {
      const { invitation, accountExists } = await invitations.read(dependencies, params.token);
      return { ...presentOpen(invitation), account_exists: accountExists };
    },
    acceptInvitation: async ({ params, body, caller, request, reply, origin }) => {
      const account = { name: body?.name, password: body?.password };
      const browser = browserOf(request);
      const accepted = await invitations.accept(dependencies, params.token, caller, account, browser, origin);
      if (accepted.session !== undefined) {
        setSessionCookie(request, reply, baseUrl, accepted.session);
        setDeviceCookie(request, reply, baseUrl, devices.remember(browser.device, accepted.user.id));
      }
      return { user: userView(accepted.user), workspace: presentWorkspace(accepted.workspace) };
    },
    listOwnInvitations: async ({ caller, query: { limit, cursor } }) => {
      const rows = await invitations.listOwn(dependencies, caller, {
        after: decodeCursor(cursor, isId),
        limit: limit + 1,
      });
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.id);
      return page(items.map(presentOwn), nextCursor);
    },
    acceptOwnInvitation: async ({ caller, params, origin }) => ({
      workspace: presentWorkspace(await invitations.acceptOwn(dependencies, caller, params.id, origin)),
    }),
    declineOwnInvitation: async ({ caller, params, origin }) => {
      await invitations.declineOwn(dependencies, caller, params.id, origin);
      return undefined;
    },
  });
}

type OpenInvitation = Awaited<ReturnType<typeof invitations.read>>['invitation'];
type OwnInvitation = Awaited<ReturnType<typeof invitations.listOwn>>[number];
type Joined = Awaited<ReturnType<typeof invitations.acceptOwn>>;

function presentOpen({ workspace_name, email, role_name, invited_by, expires_at }: OpenInvitation) {
  return {
    workspace: { name: workspace_name },
    email,
    role: role_name,
    invited_by,
    expires_at: expires_at.toISOString(),
  };
}

function presentOwn(row: OwnInvitation) {
  return {
    id: row.id,
    workspace: { id: row.workspace_id, slug: row.workspace_slug, name: row.workspace_name },
    role: { id: row.role_id, key: row.role_key, name: row.role_name },
    invited_by: row.invited_by,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}

function presentWorkspace({ id, slug, name, created_at }: Joined) {
  return { id, slug, name, created_at: created_at.toISOString() };
}

function invitationView({ id, email, role, invitedBy, createdAt, expiresAt, acceptedAt }: InvitationRow, now: number) {
  return {
    id,
    email,
    role,
    invited_by: invitedBy,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    status: statusOf({ acceptedAt, expiresAt }, now),
  };
}

/** What POST `/members` does for an account with which the caller shares no workspace. */
export function createInviteAccount(
  dependencies: InvitationsDependencies & { readonly config: { readonly baseUrl: string | undefined } },
): InviteAccount {
  return async (workspace, caller, input, request, origin) => {
    const at = publicOrigin(request, dependencies.config.baseUrl);
    const { invitation } = await invitations.create(dependencies, workspace, caller, input, at, origin, 'members.add');
    return invitationView(invitation, dependencies.clock.now());
  };
}
