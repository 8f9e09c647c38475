import { randomUUID } from 'node:crypto';
import type { AnyRoute } from '@fanion/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, type Operation, prepare, redirected, send, sendAsOwner } from './support/operations.ts';
import { startWorld, type Tenant, type World } from './support/world.ts';

const rows = (routes: readonly AnyRoute[]) => routes.map((route) => [route.id, route] as const);
const mutations = allRoutes.filter(({ reads, auth }) => !reads && auth !== 'sdk');

/** Every change leaves exactly one entry; nothing else leaves any. */
describe('the audit log', () => {
  let world: World;
  let ada: Tenant;

  beforeAll(async () => {
    world = await startWorld();
    ada = world.ada;
  }, 120_000);
  afterAll(() => world?.stop());

  /** Sends a request with its own request id and returns the entries that it left. */
  async function observe(operation: Operation, credential?: { cookie?: string; bearer?: string }) {
    const requestId = randomUUID();
    const headers = { 'x-request-id': requestId };
    const answer = credential
      ? await send(world.base, operation, credential, headers)
      : await sendAsOwner(ada, operation, headers);
    const entries = await world.db
      .selectFrom('audit_entries')
      .select([
        'action',
        'workspace_id',
        'actor_type',
        'actor_id',
        'actor_name',
        'resource_type',
        'resource_id',
        'before',
        'after',
        'ip',
      ])
      .where('request_id', '=', requestId)
      .execute();
    return { answer, entries };
  }

  it.each(rows(mutations))(
    '%s leaves one entry: who did what to which, before and after, from where',
    async (_id, route) => {
      const operation = await prepare(route, ada);
      const credential = route.auth === 'public' ? {} : undefined;
      const { answer, entries } = await observe(operation, credential);
      expect(answer.status, answer.text).toBe(route.status);
      expect(entries).toHaveLength(1);
      const [entry] = entries;
      expect(entry).toMatchObject({ action: route.id, actor_type: 'user', ip: expect.stringContaining('127.0.0.1') });
      expect(entry?.actor_id).toMatch(/^[0-9a-f-]{36}$/);
      expect(entry?.resource_id).not.toBe('');
      if (route.path.includes('{ws}') || route.callerWorkspace) expect(entry?.workspace_id).toBe(operation.params.ws);
      if (route.method === 'DELETE') expect(entry?.before, 'what is gone is told').not.toBeNull();
      if (route.method === 'PATCH' || route.method === 'PUT') {
        expect(entry?.before).not.toBeNull();
        expect(entry?.after).not.toBeNull();
      }
    },
  );

  it.each(rows(mutations.filter(({ auth }) => auth === 'user')))(
    '%s by a token names the token',
    async (_id, route) => {
      const permissions = [...new Set([route.permission ?? 'workspace:read', route.alsoNeeds ?? 'flags:read'])];
      const bearer = await ada.token(permissions, {});
      const { answer, entries } = await observe(await prepare(route, ada), { bearer });
      expect(answer.status, answer.text).toBe(route.status);
      expect(entries.map(({ action, actor_type }) => [action, actor_type])).toEqual([[route.id, 'token']]);
    },
  );

  it.each(rows(mutations))('%s leaves nothing when it is rejected', async (_id, route) => {
    const operation = await prepare(route, ada);
    const refused = [
      observe(redirected(operation, { body: { 'no such field': 1 }, query: { 'no such parameter': '1' } })),
      ...(route.auth === 'public' ? [] : [observe(operation, {})]),
    ];
    for (const { answer, entries } of await Promise.all(refused)) {
      expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
      expect(entries).toEqual([]);
    }
  });

  it('contains no reads', async () => {
    for (const route of allRoutes.filter(
      ({ reads, auth, bodies }) => reads && auth === 'user' && bodies === 'envelope',
    )) {
      const { answer, entries } = await observe(await prepare(route, ada));
      expect(answer.status, `${route.id}: ${answer.text}`).toBe(route.status);
      expect(entries, route.id).toEqual([]);
    }
  });
});
