import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addMember,
  cookiesOf,
  type SignedUp,
  signUp,
  testClient,
  testPassword,
} from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { openStream } from '../flags/sse-client.ts';
import { type SharedStores, startSharedStores } from '../support/shared-stores.ts';

/**
 * Two servers on one PostgreSQL. Each credential is used on both, then taken away on the first while the second is idle.
 * The clock stands still: no cached credential expires and no tail rechecks its caller, so only the announcement of
 * the revocation can end a use.
 */
describe('a revoked credential', () => {
  let stores: SharedStores;
  let servers: TestServer[];
  let owner: SignedUp;
  let reader: string;

  beforeAll(async () => {
    stores = await startSharedStores();
    const clock = { now: () => began };
    const began = Date.now();
    servers = [await startTestServer({ env: stores.env, clock }), await startTestServer({ env: stores.env, clock })];
    owner = await signUp(base(0), 'owner');
    const role = await owner.post(`${owner.workspace}/roles`, {
      name: 'Reader',
      permissions: ['telemetry:query', 'tokens:write'],
    });
    reader = role.data.id;
    await owner.post(`${owner.workspace}/roles`, { name: 'Reporter', permissions: ['flags:read'] });
  });
  afterAll(async () => {
    await Promise.all((servers ?? []).map((server) => server.stop()));
    await stores?.stop();
  });

  const base = (index: number) => servers[index]?.base ?? '';
  const bases = () => servers.map((server) => server.base);
  const onBoth = <T>(ask: (base: string) => Promise<T>): Promise<T[]> => Promise.all(bases().map(ask));
  type Ask = (base: string) => Promise<{ status: number }>;
  /** The statuses of several requests, on each server. */
  const statuses = (asks: readonly Ask[]) =>
    onBoth((at) => Promise.all(asks.map(async (ask) => (await ask(at)).status)));
  const idOf = async (path: string) => (await owner.get(path)).data[0].id as string;
  const revokeNewest = async (kind: 'sdk' | 'api') => {
    const query = `workspace=${owner.workspaceId}`;
    const id = await idOf(`/api/v1/tokens?kind=${kind}&limit=1&${query}`);
    expect((await owner.del(`/api/v1/tokens/${id}?${query}`)).status).toBe(204);
  };

  const evaluate =
    (key: string): Ask =>
    (at) =>
      testClient(at, { bearer: key }).post('/ofrep/v1/evaluate/flags', { context: {} });
  const ruleset =
    (key: string): Ask =>
    (at) =>
      testClient(at, { bearer: key }).get('/api/v1/sdk/flags/ruleset');
  const tailOf = (at: string, headers: Record<string, string>) =>
    openStream(`${at}${owner.workspace}/tail?source=logs`, headers);
  const tailStatus =
    (headers: Record<string, string>): Ask =>
    (at) =>
      fetch(`${at}${owner.workspace}/tail?source=logs&seconds=1`, { headers });

  /** Evaluations, the stream of rulesets and the ticket to refetch events of an SDK key, all in use on both servers. */
  async function keyInUse() {
    const key = await owner.sdkKey();
    const bulk = await testClient(base(0), { bearer: key }).post('/ofrep/v1/evaluate/flags', { context: {} });
    const ticket: string = bulk.json.eventStreams[0].endpoint.requestUri;
    const asks = [evaluate(key), ruleset(key), (at: string) => fetch(`${at}${ticket}&seconds=1`)];
    expect(await statuses(asks)).toEqual([
      [200, 200, 200],
      [200, 200, 200],
    ]);
    const streams = await onBoth((at) =>
      Promise.all([
        openStream(`${at}/api/v1/sdk/flags/stream`, { authorization: `Bearer ${key}` }),
        openStream(at + ticket),
      ]),
    );
    return { asks, ended: Promise.all(streams.flat().map((stream) => stream.ended)) };
  }

  it('ends the evaluations, streams and event tickets of an SDK key', async () => {
    const { asks, ended } = await keyInUse();
    await revokeNewest('sdk');
    await ended;
    // The first requests since then: none passes once more.
    expect(await statuses(asks)).toEqual([
      [401, 401, 401],
      [401, 401, 401],
    ]);
  });

  it('ends them for a key whose environment was deleted', async () => {
    const environment = await owner.post(`${owner.project}/environments`, { key: 'staging', name: 'Staging' });
    expect(environment.status, environment.text).toBe(201);
    const key = await owner.sdkKey('staging');
    const asks = [evaluate(key), ruleset(key)];
    expect(await statuses(asks)).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const streams = await onBoth((at) =>
      openStream(`${at}/api/v1/sdk/flags/stream`, { authorization: `Bearer ${key}` }),
    );
    expect((await owner.del(`${owner.project}/environments/${environment.data.id}?confirm=Staging`)).status).toBe(204);
    await Promise.all(streams.map((stream) => stream.ended));
    expect(await statuses(asks)).toEqual([
      [401, 401],
      [401, 401],
    ]);
  });

  /** Reading, ingest and a tail by an API token. */
  async function tokenInUse(token: string) {
    const authorization = `Bearer ${token}`;
    const client = (at: string) => testClient(at, { bearer: token });
    const asks: Ask[] = [
      (at) => client(at).get('/api/v1/auth/me'),
      (at) => client(at).post('/v1/logs', { resourceLogs: [] }),
      tailStatus({ authorization }),
    ];
    expect(await statuses(asks)).toEqual([
      [200, 200, 200],
      [200, 200, 200],
    ]);
    const tails = await onBoth((at) => tailOf(at, { authorization }));
    return { asks, tails, ended: Promise.all(tails.map((tail) => tail.ended)) };
  }

  it('ends the requests, the ingest and the tails of an API token', async () => {
    const { asks, tails, ended } = await tokenInUse(await owner.token(['telemetry:query', 'telemetry:ingest']));
    await revokeNewest('api');
    for (const tail of tails) expect((await tail.next('error')).data).toContain('SVC-2001');
    await ended;
    expect(await statuses(asks)).toEqual([
      [401, 401, 401],
      [401, 401, 401],
    ]);
  });

  it('ends them for a token whose maker was removed', async () => {
    const { person, memberId } = await joined('maker');
    const made = await person.post(`/api/v1/tokens?workspace=${owner.workspaceId}`, {
      name: 'of a member',
      permissions: ['telemetry:query'],
    });
    const authorization = `Bearer ${made.data.token}`;
    const tails = await onBoth((at) => tailOf(at, { authorization }));
    expect((await owner.del(`${owner.workspace}/members/${memberId}`)).status).toBe(204);
    await Promise.all(tails.map((tail) => tail.ended));
    expect(await statuses([tailStatus({ authorization })])).toEqual([[401], [401]]);
  });

  async function joined(name: string) {
    const person = await signUp(base(0), name);
    return { person, memberId: await addMember(owner, person, reader) };
  }

  /** A member with a session of its own, that the tests may end, and tails on both servers. */
  async function sessionInUse(name: string) {
    const { person, memberId } = await joined(name.replaceAll(' ', '-'));
    const login = await testClient(base(0)).post('/api/v1/auth/login', {
      email: person.email,
      password: testPassword,
    });
    const cookie = cookiesOf(login);
    const asks: Ask[] = [(at) => testClient(at, { cookie }).get('/api/v1/auth/me'), tailStatus({ cookie })];
    expect(await statuses(asks)).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const tails = await onBoth((at) => tailOf(at, { cookie }));
    const ended = Promise.all(tails.map((tail) => tail.ended));
    return { person, session: testClient(base(0), { cookie }), memberId, asks, ended };
  }
  type InUse = Awaited<ReturnType<typeof sessionInUse>>;

  const changeRole = async ({ person }: InUse, to: string) => {
    const roles = (await owner.get(`${owner.workspace}/roles?limit=500`)).data as { id: string; name: string }[];
    const role = roles.find(({ name }) => name === to)?.id;
    return owner.post(`${owner.workspace}/members`, { email: person.email, role });
  };
  const narrowRole = () => owner.patch(`${owner.workspace}/roles/${reader}`, { permissions: ['flags:read'] });

  it.each<[string, (use: InUse) => Promise<{ status: number }>, number[]]>([
    ['who logged out', ({ session }) => session.post('/api/v1/auth/logout'), [401, 401]],
    [
      'who changed the password elsewhere',
      ({ person }) =>
        person.post('/api/v1/auth/password', { current_password: testPassword, new_password: `${testPassword}-new` }),
      [401, 401],
    ],
    ['who was removed', ({ memberId }) => owner.del(`${owner.workspace}/members/${memberId}`), [200, 404]],
    ['whose role was changed', (use) => changeRole(use, 'Reporter'), [200, 403]],
    ['whose role was narrowed', narrowRole, [200, 403]],
  ])('ends the sessions and tails of a member %s', async (name, takeAway, after) => {
    const use = await sessionInUse(name);
    const done = await takeAway(use);
    expect([200, 201, 204]).toContain(done.status);
    await use.ended;
    expect(await statuses(use.asks)).toEqual([after, after]);
  });
});
