import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  cookiesOf,
  type SignedUp,
  signUp,
  testClient,
  testPassword,
} from '../../packages/server/src/testing/test-client.ts';
import { openStream } from '../flags/sse-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { type SharedStores, startSharedStores } from '../support/shared-stores.ts';

/** Longer than revocation may take, shorter than what looks by itself: a tail looks every 10 s. */
const patienceMs = 6_000;

/** What is taken away on one server ends on the other, however idle that is. */
describe('a credential that was good on another server', () => {
  let stores: SharedStores;
  let one: ServerProcess;
  let two: ServerProcess;
  let owner: SignedUp;
  let reader: string;

  beforeAll(async () => {
    stores = await startSharedStores();
    one = await serveProcess(join(stores.directory, 'one'), await freePort(), stores.env);
    two = await serveProcess(join(stores.directory, 'two'), await freePort(), stores.env);
    owner = await signUp(one.base, 'owner');
    const role = await owner.post(`${owner.workspace}/roles`, { name: 'Reader', permissions: ['telemetry:query'] });
    reader = role.data.id;
    await owner.post(`${owner.workspace}/roles`, { name: 'Reporter', permissions: ['flags:read'] });
  });
  afterAll(async () => {
    await Promise.all([one?.end('SIGTERM'), two?.end('SIGTERM')]);
    await stores?.stop();
  });

  async function inTime(ended: Promise<void>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), patienceMs);
    });
    return Promise.race([ended.then(() => true), late]).finally(() => clearTimeout(timer));
  }
  const idOf = async (path: string) => (await owner.get(path)).data[0].id as string;
  /** A member with a session on both servers. */
  async function member(name: string, role: string) {
    const person = await signUp(one.base, name);
    const invited = await owner.post(`${owner.workspace}/invitations`, { email: person.email, role });
    const token = new URL(invited.data.url).pathname.split('/').at(-1);
    const joined = await person.post(`/api/v1/invitations/${token}/accept`, {});
    if (joined.status >= 300) throw new Error(joined.text);
    const members = (await owner.get(`${owner.workspace}/members?search=${name}`)).data;
    return { person, id: members[0].id as string };
  }
  const tailOn = (server: ServerProcess, headers: Record<string, string>) =>
    openStream(`${server.base}${owner.workspace}/tail?source=logs`, headers);

  it('ends everything of a revoked SDK key: evaluation, stream and the ticket to events', async () => {
    const key = await owner.sdkKey();
    const bearer = { authorization: `Bearer ${key}` };
    const sdk = testClient(two.base, { bearer: key });
    const bulk = await sdk.post('/ofrep/v1/evaluate/flags', { context: {} });
    expect(bulk.status).toBe(200);
    const events = two.base + bulk.json.eventStreams[0].endpoint.requestUri;
    const stream = await openStream(`${two.base}/api/v1/sdk/flags/stream`, bearer);
    const heard = await openStream(events);
    const id = await idOf(`/api/v1/tokens?kind=sdk&limit=1&workspace=${owner.workspaceId}`);
    expect((await owner.del(`/api/v1/tokens/${id}?workspace=${owner.workspaceId}`)).status).toBe(204);
    expect(await inTime(Promise.all([stream.ended, heard.ended]).then(() => {}))).toBe(true);
    // The first time since: nothing is left that passes once more.
    const again = await fetch(`${two.base}/ofrep/v1/evaluate/flags`, { method: 'POST', headers: bearer });
    const ticket = await fetch(events);
    expect([again.status, ticket.status]).toEqual([401, 401]);
  });

  it('ends the tail of a revoked token', async () => {
    const token = await owner.token(['telemetry:query'], {});
    const tail = await tailOn(two, { authorization: `Bearer ${token}` });
    const id = await idOf(`/api/v1/tokens?kind=api&limit=1&workspace=${owner.workspaceId}`);
    await owner.del(`/api/v1/tokens/${id}?workspace=${owner.workspaceId}`);
    expect((await tail.next('error')).data).toContain('SVC-2001');
    expect(await inTime(tail.ended)).toBe(true);
  });

  it.each([
    ['whose session was ended', (person: SignedUp) => person.post('/api/v1/auth/logout')],
    ['who was removed', (_: SignedUp, id: string) => owner.del(`${owner.workspace}/members/${id}`)],
    ['whose role was changed', (person: SignedUp) => add(person, 'reporter')],
    [
      'whose role was narrowed',
      () => owner.patch(`${owner.workspace}/roles/${reader}`, { permissions: ['flags:read'] }),
    ],
  ])('ends the tail of a member %s', async (name, takeAway) => {
    const { person, id } = await member(name.replaceAll(' ', '-'), reader);
    const login = await testClient(one.base).post('/api/v1/auth/login', {
      email: person.email,
      password: testPassword,
    });
    const cookie = cookiesOf(login);
    const tail = await tailOn(two, { cookie });
    const done = await takeAway({ ...person, ...testClient(one.base, { cookie }) }, id);
    expect([200, 201, 204]).toContain(done.status);
    expect(await inTime(tail.ended)).toBe(true);
  });

  const add = async (person: SignedUp, roleName: string) => {
    const roles = (await owner.get(`${owner.workspace}/roles?limit=500`)).data as { id: string; name: string }[];
    const role = roles.find(({ name }) => name.toLowerCase() === roleName)?.id;
    return owner.post(`${owner.workspace}/members`, { email: person.email, role });
  };
});
