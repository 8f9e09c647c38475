import { randomUUID } from 'node:crypto';
import { builtInRoles, permissionNames } from '@fanion/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { addMember, signUp } from '../../packages/server/src/testing/test-client.ts';
import { type ServedDocument, type ServedOperation, servedDocument } from './support/document.ts';
import { allRoutes, type Credential, ingestRoutes, logIn } from './support/operations.ts';
import { need, startWorld, type Tenant, type World } from './support/world.ts';

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

/** They need an account and no permission, since they are about this account alone. */
const ofOwnAccount = [
  'auth.logout',
  'auth.me',
  'auth.password',
  'auth.permissions',
  'auth.update_me',
  'invitations.accept_own',
  'invitations.decline_own',
  'invitations.list_own',
  'workspaces.create',
  'workspaces.list',
];

/** They contain the rules of flags, which browsers must not read. */
const ofServerKeys = ['sdk.ruleset', 'sdk.stream'];

/** Its protocol compresses all bodies, and the ingest routes judge the headers of a request before its sender. */
const encodings: Readonly<Record<string, string>> = { 'ingest.prometheus_write': 'snappy' };

const callers = [
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
type Caller = (typeof callers)[number];

/** `in`: neither who calls nor what they may do is a reason to refuse, but the request is, which is empty or invalid. */
type Expected = 'in' | 'in, or 403' | 401 | 403 | 404;

/** What the document says about an operation, and nothing else, decides what a caller gets. */
function expected(operation: ServedOperation, caller: Caller, { namesAllPermissions }: ServedDocument): Expected {
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
      return 'in';
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

function fits(status: number, wanted: Expected): boolean {
  if (typeof wanted === 'number') return status === wanted;
  return status < 500 && status !== 401 && (status !== 403 || wanted === 'in, or 403');
}

/** Each operation of the API document that the server serves, with each kind of caller. */
describe('the matrix of callers and operations', () => {
  let world: World;
  let ada: Tenant;
  let document: ServedDocument;
  let credentialOf: (caller: Caller, operation: ServedOperation) => Credential | Promise<Credential>;

  beforeAll(async () => {
    world = await startWorld();
    const { base, eve } = world;
    ada = world.ada;
    document = await servedDocument(base);
    const viewer = await signUp(base, 'viewer');
    const { data: roles } = await need(ada.get(`${ada.workspace}/roles`));
    await addMember(ada, viewer, roles.find(({ key }: { key: string | null }) => key === 'viewer').id);
    const tokens = new Map<string, Promise<string>>();
    const tokenWith = async (permissions: readonly string[]): Promise<Credential> => {
      const key = permissions.join(' ');
      // Telemetry is sent to one environment; many other permissions cannot be limited to one.
      const token = tokens.get(key) ?? ada.token(permissions, key === 'telemetry:ingest' ? undefined : {});
      tokens.set(key, token);
      return { bearer: await token };
    };
    const revoked = await ada.token(permissionNames, {});
    const { data: newest } = await need(ada.get(`/api/v1/tokens?kind=api&limit=1&workspace=${ada.workspaceId}`));
    await need(ada.del(`/api/v1/tokens/${newest[0].id}?workspace=${ada.workspaceId}`));
    const fixed: Partial<Record<Caller, Credential>> = {
      anonymous: {},
      'revoked token': { bearer: revoked },
      'session of a foreigner': { cookie: eve.cookie },
      'session of a viewer': { cookie: viewer.cookie },
      'session of a member without permissions': { cookie: await logIn(base, ada.colleague.email) },
      'token that may only ingest': await tokenWith(['telemetry:ingest']),
      'token of a foreigner': { bearer: await eve.token(permissionNames, {}) },
      'client SDK key': { bearer: await ada.sdkKey('production', { kind: 'client' }) },
      'server SDK key': { bearer: await ada.sdkKey() },
    };
    const emails: Partial<Record<Caller, string>> = {
      'session of a foreigner': eve.email,
      'session of a viewer': viewer.email,
      'session of a member without permissions': ada.colleague.email,
    };
    credentialOf = async (caller, { id, permissions }) => {
      const email = emails[caller];
      // It ends the session that it is called with.
      if (id === 'auth.logout' && email !== undefined) return { cookie: await logIn(base, email) };
      if (caller === 'token with the permissions')
        return tokenWith(permissions.length === 0 ? ['flags:read'] : permissions);
      if (caller === 'token without the permission')
        return tokenWith(permissionNames.filter((name) => name !== permissions[0]));
      const credential = fixed[caller];
      if (credential === undefined) throw new Error(`no credential of ${caller}`);
      return credential;
    };
  }, 120_000);

  /** A request to Ada's workspace that succeeds for nobody who could change something by it. */
  async function statusOf(operation: ServedOperation, { cookie, bearer }: Credential): Promise<number> {
    const { base, ada: owner } = world;
    const known: Record<string, string> = { ws: owner.workspaceId, p: owner.projectId, e: 'production' };
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => known[name] ?? randomUUID());
    const stopped = new AbortController();
    const response = await fetch(
      base + path + ('workspace' in operation.query ? `?workspace=${owner.workspaceId}` : ''),
      {
        method: operation.method,
        redirect: 'manual',
        signal: stopped.signal,
        headers: {
          origin: base,
          'sec-fetch-site': 'same-origin',
          ...(cookie !== undefined && { cookie }),
          ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
          ...(operation.media !== undefined && { 'content-type': operation.media }),
          ...(encodings[operation.id] !== undefined && { 'content-encoding': encodings[operation.id] }),
        },
        ...(operation.media !== undefined && { body: '{"no such field":true}' }),
      },
    );
    // Some answers are streams, which do not end.
    stopped.abort();
    return response.status;
  }

  const changesOf = async () =>
    (await world.db.selectFrom('audit_entries').select(['workspace_id', 'action']).execute()).filter(
      ({ workspace_id, action }) =>
        (workspace_id === world.ada.workspaceId || workspace_id === world.eve.workspaceId) &&
        action !== 'tokens.create',
    );

  it('lets each caller in, or refuses, as the served document says, and changes nothing', async () => {
    const before = await changesOf();
    const wrong: string[] = [];
    let requests = 0;
    for (const operation of document.operations) {
      const row = callers.map(async (caller) => {
        const status = await statusOf(operation, await credentialOf(caller, operation));
        const wanted = expected(operation, caller, document);
        requests++;
        if (!fits(status, wanted)) wrong.push(`${operation.id}, ${caller}: ${status} for ${wanted}`);
      });
      await Promise.all(row);
    }
    console.log(`${document.operations.length} operations × ${callers.length} callers: ${requests} requests`);
    expect(wrong).toEqual([]);
    expect(requests).toBe(document.operations.length * callers.length);
    expect(await changesOf()).toEqual(before);
  }, 300_000);

  it('has no operation without a credential, or without a permission, that is not on a list', () => {
    const { operations } = document;
    const without = operations.filter(({ security }) => security.length === 0).map(({ id }) => id);
    expect(without.toSorted()).toEqual(open);
    const ofPeople = operations.filter(({ security }) => security.includes('session') || security.includes('token'));
    const free = ofPeople.filter(({ permissions }) => permissions.length === 0).map(({ id }) => id);
    expect(free.toSorted()).toEqual(ofOwnAccount);
  });

  it('has only operations whose permission is required somewhere: in the workspace that they name, or that of the token', () => {
    const nowhere = document.operations.filter(
      ({ permissions, pathParameters, query, security }) =>
        permissions.length > 0 &&
        !pathParameters.includes('ws') &&
        !('workspace' in query) &&
        security.join() !== 'token',
    );
    expect(nowhere).toEqual([]);
  });

  it('has the operations that the other security tests walk', () => {
    const declared = [...allRoutes, ...ingestRoutes].map(({ id }) => id);
    expect(document.operations.map(({ id }) => id).toSorted()).toEqual(declared.toSorted());
  });
});
