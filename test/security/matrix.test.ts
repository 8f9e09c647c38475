import { randomUUID } from 'node:crypto';
import { permissionNames } from '@fanion/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { addMember, signUp } from '../../packages/server/src/testing/test-client.ts';
import { type Caller, callers, expected, fits, unlisted } from './support/callers.ts';
import { type ServedDocument, type ServedOperation, servedDocument } from './support/document.ts';
import { allRoutes, type Credential, ingestRoutes, logIn } from './support/operations.ts';
import { need, startWorld, type Tenant, type World } from './support/world.ts';

/** Its protocol compresses all bodies, and the ingest routes judge the headers of a request before its sender. */
const encodings: Readonly<Record<string, string>> = { 'ingest.prometheus_write': 'snappy' };

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
    const known: Record<string, string> = {
      ...{ ws: owner.workspaceId, p: owner.projectId, e: 'production' },
      ...(bearer !== undefined && { sdk_key: bearer }),
    };
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => known[name] ?? randomUUID());
    const stopped = new AbortController();
    const parameter = ['client_key', 'auth'].find((name) => name in operation.query);
    const inQuery = parameter !== undefined && bearer !== undefined ? `?${parameter}=${bearer}` : '';
    const response = await fetch(
      base + path + ('workspace' in operation.query ? `?workspace=${owner.workspaceId}` : inQuery),
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
    expect(unlisted(document)).toEqual({ open: [], free: [], stale: [] });
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
