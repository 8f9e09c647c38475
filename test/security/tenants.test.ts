import { randomUUID } from 'node:crypto';
import type { AnyRoute } from '@fanion/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  allRoutes,
  type Credential,
  comparable,
  type Operation,
  parametersOf,
  prepare,
  prepareRejected,
  redirected,
  send,
  sendAsOwner,
} from './support/operations.ts';
import { need, startWorld, type Tenant, type World } from './support/world.ts';

const rows = (routes: readonly AnyRoute[]) => routes.map((route) => [route.id, route] as const);
const ofPeople = allRoutes.filter(({ auth }) => auth === 'user' || auth === 'session');
const hasParameter = (route: AnyRoute, name: string) => parametersOf(route).includes(name);

/**
 * Nobody learns anything about another workspace, not even that it exists: a foreign id gets exactly the response of an
 * unknown one. Walks every declared route, so a new one is covered as soon as it is declared.
 */
describe('tenants', () => {
  let world: World;
  let ada: Tenant;
  let eve: Tenant;
  /** Ada's credentials: her session, and a token with all her permissions. */
  let credentials: { session: Credential; token: Credential };

  beforeAll(async () => {
    world = await startWorld();
    ({ ada, eve } = world);
    const { data: me } = await need(ada.get('/api/v1/auth/me'));
    const token = await ada.token(me.workspaces[0].permissions, {});
    credentials = { session: { cookie: ada.cookie }, token: { bearer: token } };
  }, 120_000);
  afterAll(() => world?.stop());

  const auditEntries = async (workspaceId: string) => {
    const { length } = await world.db
      .selectFrom('audit_entries')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .execute();
    return length;
  };

  /** Sends both with every accepted credential: the responses must be the same 404, and nothing may change. */
  async function expectSameNotFound(
    route: AnyRoute,
    foreign: Operation,
    unknown: Operation,
    identifiers = { foreign: '', unknown: '' },
  ): Promise<void> {
    const before = await auditEntries(eve.workspaceId);
    for (const credential of route.auth === 'session' ? [credentials.session] : Object.values(credentials)) {
      const [one, other] = [await send(world.base, foreign, credential), await send(world.base, unknown, credential)];
      expect(one.status, one.text).toBe(404);
      expect(comparable(one, identifiers.foreign)).toEqual(comparable(other, identifiers.unknown));
    }
    expect(await auditEntries(eve.workspaceId)).toBe(before);
  }

  describe('can access their own resources', () => {
    it.each(rows(ofPeople))('%s', async (_id, route) => {
      const answer = await sendAsOwner(ada, await prepare(route, ada));
      expect(answer.status, answer.text).toBe(route.status);
      if (route.auth !== 'user') return;
      const byToken = await send(world.base, await prepare(route, ada), credentials.token);
      expect(byToken.status, byToken.text).toBe(route.status);
    });
  });

  describe('a foreign workspace is like an unknown one', () => {
    it.each(rows(ofPeople.filter((route) => hasParameter(route, 'ws'))))('%s', async (_id, route) => {
      const aimed = await prepareRejected(route, eve);
      // By id and by slug; the unknown one has the same form.
      await expectSameNotFound(
        route,
        redirected(aimed, { params: { ws: eve.workspaceId } }),
        redirected(aimed, { params: { ws: randomUUID() } }),
      );
      await expectSameNotFound(
        route,
        redirected(aimed, { params: { ws: eve.slug } }),
        redirected(aimed, { params: { ws: 'nobody-is-called-so' } }),
      );
    });

    it.each(rows(ofPeople.filter(({ callerWorkspace }) => callerWorkspace)))('%s', async (_id, route) => {
      const aimed = await prepareRejected(route, eve);
      await expectSameNotFound(route, aimed, redirected(aimed, { query: { workspace: randomUUID() } }));
    });
  });

  describe("a foreign project below one's own workspace is like an unknown one", () => {
    it.each(rows(ofPeople.filter((route) => hasParameter(route, 'p'))))('%s', async (_id, route) => {
      const aimed = redirected(await prepareRejected(route, eve), { params: { ws: ada.workspaceId } });
      const unknown = redirected(aimed, { params: { p: randomUUID() } });
      await expectSameNotFound(route, redirected(aimed, { params: { p: eve.projectId } }), unknown);
    });
  });

  describe("a foreign environment below one's own project is like an unknown one", () => {
    it.each(rows(ofPeople.filter((route) => hasParameter(route, 'e'))))('%s', async (_id, route) => {
      const own = { ws: ada.workspaceId, p: ada.projectId };
      const aimed = redirected(await prepareRejected(route, eve), { params: { ...own, e: eve.productionId } });
      await expectSameNotFound(route, aimed, redirected(aimed, { params: { e: randomUUID() } }));
    });
  });

  describe('an environment of another project in the same workspace is like an unknown one', () => {
    let siblingEnvironment: string;
    beforeAll(async () => {
      const { data: sibling } = await need(ada.post(`${ada.workspace}/projects`, { name: 'Sibling' }));
      const { data: environments } = await need(ada.get(`${ada.workspace}/projects/${sibling.id}/environments`));
      siblingEnvironment = environments[0].id;
    });

    it.each(rows(ofPeople.filter((route) => hasParameter(route, 'e'))))('%s', async (_id, route) => {
      const own = { ws: ada.workspaceId, p: ada.projectId, e: siblingEnvironment };
      const aimed = redirected(await prepareRejected(route, ada), { params: own });
      await expectSameNotFound(route, aimed, redirected(aimed, { params: { e: randomUUID() } }));
    });
  });

  describe("a foreign resource below one's own workspace is like an unknown one", () => {
    const others = (route: AnyRoute) => parametersOf(route).filter((name) => !['ws', 'p', 'e'].includes(name));
    // A label, field or tag is no resource: every workspace has the same ones. Jaeger answers with an empty list for an unknown service.
    const ofResources = ofPeople.filter(
      (route) =>
        others(route).length > 0 &&
        !/\/(label|tag|detected_field)\/\{name\}|^\/jaeger\/api\/services\//.test(route.path),
    );
    it.each(rows(ofResources))('%s', async (_id, route) => {
      const theirs = await prepareRejected(route, eve);
      const own = { ws: ada.workspaceId, p: ada.projectId, e: 'production' };
      const query: Record<string, string> = route.callerWorkspace ? { workspace: ada.workspaceId } : {};
      for (const name of others(route)) {
        const aimed = redirected(theirs, { params: own, query });
        const identifier = theirs.params[name] ?? '';
        const sameForm = identifier.replace(/[0-9a-f]/g, (digit) =>
          ((Number.parseInt(digit, 16) + 1) % 16).toString(16),
        );
        expect(sameForm).not.toBe(identifier);
        const unknown = redirected(aimed, { params: { [name]: sameForm } });
        // A number, such as that of a version, is also part of other texts.
        const named = identifier.length > 8 ? { foreign: identifier, unknown: sameForm } : undefined;
        await expectSameNotFound(route, aimed, unknown, named);
      }
    });
  });

  describe('an input that names a foreign project is like one that names an unknown one', () => {
    it.each(rows(ofPeople.filter(({ scopeIn }) => scopeIn !== undefined)))('%s', async (_id, route) => {
      const own = await prepareRejected(route, ada);
      const naming = (project: string) =>
        route.scopeIn === 'query'
          ? redirected(own, { query: { project } })
          : redirected(own, { body: { ...(own.body as object), project } });
      await expectSameNotFound(route, naming(eve.projectId), naming(randomUUID()));
    });
  });

  it("lists contain only resources of the caller's workspace", async () => {
    for (const route of ofPeople.filter(({ list }) => list)) {
      const answer = await sendAsOwner(ada, await prepare(route, ada));
      expect(answer.status, `${route.id}: ${answer.text}`).toBe(200);
      for (const secretOfEve of [eve.workspaceId, eve.projectId, eve.productionId, eve.service, eve.flagKey, eve.email])
        expect(answer.text, route.id).not.toContain(secretOfEve);
    }
  });
});
