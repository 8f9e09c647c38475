import { builtInRoles } from '@fanion/contract';
import type { ServedDocument, ServedOperation } from './document.ts';

/** Whoever wants to add an operation to this list has to want that strangers call it. */
const open = [
  'auth.login',
  'auth.oidc_callback',
  'auth.oidc_start',
  'auth.signup',
  'invitations.accept',
  'invitations.get',
  // It takes a ticket of an evaluation.
  'ofrep.events',
  'platform.health',
  'platform.meta',
  'platform.metrics',
  'platform.openapi',
  'platform.ready',
];

/** They need an account and no permission, since they are about this account alone. `mcp.message` calls other operations, whose permissions apply. */
const withoutPermission = [
  'auth.logout',
  'auth.me',
  'auth.password',
  'auth.permissions',
  'auth.update_me',
  'invitations.accept_own',
  'invitations.decline_own',
  'invitations.list_own',
  'mcp.message',
  'workspaces.create',
  'workspaces.list',
];

/** They contain the rules of flags, which browsers must not read. */
const ofServerKeys = [
  'growthbook.features',
  'launchdarkly.all',
  'launchdarkly.flag',
  'launchdarkly.flags',
  'launchdarkly.latest_all',
  'launchdarkly.latest_flag',
  'launchdarkly.latest_segment',
  'launchdarkly.poll',
  'launchdarkly.segment',
  'launchdarkly.stream',
  'sdk.ruleset',
  'sdk.stream',
  'unleash.delta',
  'unleash.feature',
  'unleash.features',
  'unleash.streaming',
];

/** They have the key in their path, where a server key does not belong. */
export const ofClientKeys = [
  'launchdarkly.goals',
  'launchdarkly.value_poll',
  'launchdarkly.value_poll_by_body',
  'launchdarkly.value_stream',
  'launchdarkly.value_stream_by_body',
  'launchdarkly.value_transfers',
  'launchdarkly.value_transfers_by_body',
  'launchdarkly.values',
  'launchdarkly.values_by_body',
];

export const callers = [
  'anonymous',
  'revoked token',
  'session of a foreigner',
  'session of a viewer',
  'session of a member without permissions',
  'token with the permissions',
  'token without the permission',
  'token that may only ingest',
  'token of a foreigner',
  'client SDK key',
  'server SDK key',
] as const;
export type Caller = (typeof callers)[number];

/** `in`: neither who calls nor what they may do is a reason to refuse, but the request is, which is empty or invalid. */
export type Expected = 'in' | 'in, or 403' | 401 | 403 | 404;

/** What the document says about an operation, and nothing else, decides what a caller gets. */
export function expected(
  operation: ServedOperation,
  caller: Caller,
  { namesAllPermissions }: ServedDocument,
): Expected {
  const { id, security, permissions } = operation;
  const [first, ...others] = permissions;
  if (caller === 'revoked token') return 401;
  if (security.length === 0) return 'in';
  if (caller === 'anonymous') return 401;
  const namesWorkspace = operation.pathParameters.includes('ws') || 'workspace' in operation.query;
  const kind = caller.startsWith('session') ? 'session' : caller.startsWith('token') ? 'token' : 'sdkKey';
  // Only people send cookies: elsewhere a session is no credential at all.
  if (!security.includes(kind)) return kind === 'session' ? 401 : 403;
  switch (caller) {
    case 'client SDK key':
      return ofServerKeys.includes(id) ? 403 : 'in';
    case 'server SDK key':
      return ofClientKeys.includes(id) ? 403 : 'in';
    case 'token with the permissions':
      return namesAllPermissions ? 'in' : 'in, or 403';
    case 'session of a foreigner':
      return namesWorkspace ? 404 : 'in';
    case 'token of a foreigner':
      // It belongs to no project, so it cannot ingest.
      return namesWorkspace ? 404 : permissions.length > 0 ? 403 : 'in';
    case 'session of a viewer': {
      const has = (permission: string) => builtInRoles.viewer.permissions.some((one) => one === permission);
      return first !== undefined && !has(first) ? 403 : namesAllPermissions && others.every(has) ? 'in' : 'in, or 403';
    }
    case 'session of a member without permissions':
    case 'token without the permission':
      return first === undefined ? 'in' : 403;
    case 'token that may only ingest':
      return first === undefined || first === 'telemetry:ingest' ? 'in' : 403;
  }
}

/** Whether a status is what the document says. */
export function fits(status: number, wanted: Expected): boolean {
  if (typeof wanted === 'number') return status === wanted;
  return status < 500 && status !== 401 && (status !== 403 || wanted === 'in, or 403');
}

/** Operations without a credential, or without a permission, that are not on the lists; and entries of the lists that are neither. */
export function unlisted({ operations }: ServedDocument) {
  const without = operations.filter(({ security }) => security.length === 0).map(({ id }) => id);
  const ofPeople = operations.filter(({ security }) => security.includes('session') || security.includes('token'));
  const free = ofPeople.filter(({ permissions }) => permissions.length === 0).map(({ id }) => id);
  return {
    open: without.filter((id) => !open.includes(id)),
    free: free.filter((id) => !withoutPermission.includes(id)),
    stale: [...open.filter((id) => !without.includes(id)), ...withoutPermission.filter((id) => !free.includes(id))],
  };
}
