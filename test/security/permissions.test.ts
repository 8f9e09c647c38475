import { type AnyRoute, permissionNames } from '@fanion/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember, type SignedUp, signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { foreignRefusal } from './support/foreign.ts';
import { allRoutes, type Operation, prepare, prepareRejected, redirected, send } from './support/operations.ts';
import { need, startWorld, type Tenant, type World } from './support/world.ts';

const guarded = allRoutes.filter(({ permission }) => permission !== undefined);
const byPermission = permissionNames
  .map((permission) => [permission, guarded.filter((route) => route.permission === permission)] as const)
  .filter(([, routes]) => routes.length > 0);

/** The routes of one permission, by what they need besides it. */
function combinations(routes: readonly AnyRoute[]) {
  const besides = [...new Set(routes.map(({ alsoNeeds }) => alsoNeeds))];
  return besides.map((also) => {
    const these = routes.filter(({ alsoNeeds }) => alsoNeeds === also);
    return also === undefined ? (['by itself', [], these] as const) : ([`with ${also}`, [also], these] as const);
  });
}

/** Tells errors as plain text, as the product does whose API it is. */
function isPlain({ isForeign, failureMedia }: AnyRoute): boolean {
  return isForeign && failureMedia.includes('text/plain');
}

/** Each declared route with each member and token that has exactly its permission, or all others. */
describe('permissions', () => {
  let world: World;
  let ada: Tenant;
  let bob: SignedUp;
  let roleId: string;

  beforeAll(async () => {
    world = await startWorld();
    ada = world.ada;
    bob = await signUp(world.base, 'bob-of-ada');
    const role = { name: 'Changing', permissions: [] };
    roleId = (await need(ada.post(`${ada.workspace}/roles`, role))).data.id;
    await addMember(ada, bob, roleId);
  }, 120_000);
  afterAll(() => world?.stop());

  /** Bob's session with a role of these permissions, and a token of the owner with them. */
  async function holders(permissions: readonly string[]) {
    await need(ada.patch(`${ada.workspace}/roles/${roleId}`, { permissions }));
    const member = { cookie: bob.cookie };
    return permissions.length === 0 ? { member } : { member, token: { bearer: await ada.token(permissions, {}) } };
  }

  /** Targets Bob's workspace. Does not confirm the deletion of a workspace, so it stays. */
  async function aimed(route: AnyRoute, prepared: typeof prepare): Promise<Operation> {
    const operation = await prepared(route, ada);
    if (operation.params.ws === ada.workspaceId) return operation;
    return redirected(operation, { params: { ws: ada.workspaceId }, query: { confirm: '' } });
  }

  describe.each(byPermission)('%s', (permission, routes) => {
    it.each(combinations(routes))('is enough %s', async (_with, also, routes) => {
      for (const [who, credential] of Object.entries(await holders([permission, ...also])))
        for (const route of routes) {
          if (route.auth === 'session' && who === 'token') continue;
          const answer = await send(world.base, await aimed(route, prepare), credential);
          const told = `${who}, ${route.id}: ${answer.status} ${answer.text}`;
          // Creating something with more permissions than the creator has is rejected for another reason.
          if (answer.status === 403) {
            expect(answer.json.error.code, told).toBe('SVC-3007');
            expect(route.errors, told).toContain('ESCALATION');
          } else expect(answer.status, told).toBe(route.id === 'workspaces.remove' ? 422 : route.status);
        }
    });

    it('is required even with all others, and the error names it', async () => {
      for (const [who, credential] of Object.entries(
        await holders(permissionNames.filter((name) => name !== permission)),
      ))
        for (const route of routes) {
          if (route.auth === 'session' && who === 'token') continue;
          const answer = await send(world.base, await aimed(route, prepareRejected), credential);
          expect(answer.status, `${who}, ${route.id}: ${answer.text}`).toBe(403);
          const message = `permission denied: ${permission} required`;
          expect(isPlain(route) ? answer.text : answer.json).toEqual(
            route.isForeign
              ? foreignRefusal(route.path, message)
              : {
                  data: null,
                  error: { code: 'SVC-3006', status: 403, message },
                  meta: { request_id: expect.any(String) },
                },
          );
        }
    });
  });

  it.each(guarded.filter(({ alsoNeeds }) => alsoNeeds !== undefined).map((route) => [route.id, route] as const))(
    'include what %s also needs where it reads',
    async (_id, route) => {
      const others = permissionNames.filter((name) => name !== route.alsoNeeds);
      for (const credential of Object.values(await holders(others))) {
        const answer = await send(world.base, await aimed(route, prepareRejected), credential);
        expect(answer.json.error?.message, answer.text).toBe(`permission denied: ${route.alsoNeeds} required`);
      }
    },
  );

  it('are checked before the body is read', async () => {
    await need(ada.patch(`${ada.workspace}/roles/${roleId}`, { permissions: [] }));
    for (const route of guarded.filter(({ method }) => method !== 'GET')) {
      const operation = { ...(await aimed(route, prepareRejected)), body: { 'no such field': true } };
      const answer = await send(world.base, operation, { cookie: bob.cookie });
      expect(answer.status, `${route.id}: ${answer.text}`).toBe(403);
      if (isPlain(route)) expect(answer.text).toContain('permission denied');
      else if (route.isForeign)
        expect(answer.json).toEqual(foreignRefusal(route.path, expect.stringContaining('permission denied')));
      else expect(answer.json.error.code).toBe('SVC-3006');
    }
  });

  it('that were removed are lost by sessions and tokens at once', async () => {
    await need(ada.patch(`${ada.workspace}/roles/${roleId}`, { permissions: ['tokens:write', 'flags:read'] }));
    const token = { name: 'of bob', permissions: ['flags:read'] };
    const { data } = await need(bob.post(`/api/v1/tokens?workspace=${ada.workspaceId}`, token));
    const flags = `${ada.project}/flags`;
    const program = testClient(world.base, { bearer: data.token });
    expect((await program.get(flags)).status).toBe(200);
    await need(ada.patch(`${ada.workspace}/roles/${roleId}`, { permissions: ['tokens:write'] }));
    expect((await program.get(flags)).status).toBe(403);
    expect((await bob.get(flags)).status).toBe(403);
  });
});
