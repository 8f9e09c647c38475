import { request } from 'node:http';
import type { AnyRoute } from '@fanion/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookiesOf, signUp, testClient, testPassword } from '../../packages/server/src/testing/test-client.ts';
import { ofClientKeys } from './support/callers.ts';
import {
  allRoutes,
  type Credential,
  logIn,
  type Operation,
  pathOf,
  prepare,
  prepareRejected,
  send,
} from './support/operations.ts';
import { need, spanOf, startWorld, type Tenant, type World } from './support/world.ts';

const rows = (routes: readonly AnyRoute[]) => routes.map((route) => [route.id, route] as const);
const protectedRoutes = allRoutes.filter(({ auth }) => auth !== 'public');

type Kind =
  | 'none'
  | 'session'
  | 'token'
  | 'sdk key'
  | 'revoked token'
  | 'expired token'
  | 'revoked sdk key'
  | 'ended session'
  | 'expired session'
  | 'forged session'
  | 'mistyped token'
  | 'unknown token';

/** The kinds of credential that each kind of route accepts. */
const passing: Readonly<Record<string, readonly Kind[]>> = {
  session: ['session'],
  user: ['session', 'token'],
  sdk: ['sdk key'],
};
const valid: readonly Kind[] = ['session', 'token', 'sdk key'];

/** The allowed statuses for an invalid path or text; 422 is for characters that no store can hold. */
const refusals = [400, 401, 403, 404, 405, 422];

/** Every operation with every kind of credential. */
describe('credentials', () => {
  let world: World;
  let ada: Tenant;
  let credentials: Readonly<Record<Kind, Credential>>;
  let clientKey: Credential;

  beforeAll(async () => {
    world = await startWorld();
    ada = world.ada;
    const { db, base } = world;
    const { data: me } = await need(ada.get('/api/v1/auth/me'));
    const everything = me.workspaces[0].permissions;
    const token = await ada.token(everything, {});
    const last = async (kind: 'api' | 'sdk') => (await need(ada.get(`/api/v1/tokens?kind=${kind}&limit=1`))).data[0].id;
    const revokedToken = await ada.token(everything, {});
    await need(ada.del(`/api/v1/tokens/${await last('api')}?workspace=${ada.workspaceId}`));
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const expiredToken = await ada.token(everything, { expires_at: end });
    await db
      .updateTable('api_tokens')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('id', '=', await last('api'))
      .execute();
    clientKey = { bearer: await ada.sdkKey('production', { kind: 'client' }) };
    const revokedKey = await ada.sdkKey();
    await need(ada.del(`/api/v1/tokens/${await last('sdk')}?workspace=${ada.workspaceId}`));
    const ended = await logIn(base, ada.email);
    await need(testClient(base, { cookie: ended }).post('/api/v1/auth/logout'));
    const somebody = await signUp(base, 'somebody-long-ago');
    // A session that was used is remembered with its end, which nobody but this test moves.
    const expired = await logIn(base, somebody.email);
    await sql`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE user_id = ${somebody.userId}`.execute(
      db,
    );
    credentials = {
      none: {},
      session: { cookie: ada.cookie },
      token: { bearer: token },
      'sdk key': { bearer: await ada.sdkKey() },
      'revoked token': { bearer: revokedToken },
      'expired token': { bearer: expiredToken },
      'revoked sdk key': { bearer: revokedKey },
      'ended session': { cookie: ended },
      'expired session': { cookie: expired },
      'forged session': {
        cookie: ada.cookie.replace(/(svc_session=)(.)/, (_, name, first) => name + (first === 'A' ? 'B' : 'A')),
      },
      'mistyped token': { bearer: token.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
      'unknown token': { bearer: token.replace('svc_pat_', 'svc_xyz_') },
    };
  }, 120_000);
  afterAll(() => world?.stop());

  describe.each(rows(protectedRoutes))('%s', (_id, route) => {
    it('accepts only the declared credentials', async () => {
      const kinds = Object.keys(credentials) as Kind[];
      const isAccepted = (kind: Kind) => passing[route.auth]?.includes(kind) === true;
      const request = (operation: Operation, kind: Kind) =>
        // An operation with its own session needs exactly that one.
        send(
          world.base,
          operation,
          kind === 'session' && operation.cookie !== undefined
            ? { cookie: operation.cookie }
            : kind === 'sdk key' && ofClientKeys.includes(route.id)
              ? clientKey
              : credentials[kind],
        );
      const first = await prepare(route, ada);
      for (const kind of kinds.filter((one) => !isAccepted(one))) {
        const answer = await request(first, kind);
        const told = `${kind}: ${answer.status} ${answer.text}`;
        // Evaluation ignores cookies, so a session is not a credential there.
        const wrongKind = valid.includes(kind) && !(route.auth === 'sdk' && kind === 'session');
        expect(answer.status, told).toBe(wrongKind ? 403 : 401);
        if (route.prefix !== '/api/v1') continue;
        expect(answer.json, told).toMatchObject({ data: null, error: { code: wrongKind ? 'SVC-3002' : 'SVC-2001' } });
        if (!wrongKind) expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
      for (const [n, kind] of kinds.filter(isAccepted).entries()) {
        // The rejected requests did nothing, so that theirs can still succeed.
        const answer = await request(n === 0 ? first : await prepare(route, ada), kind);
        expect(answer.status, `${kind}: ${answer.status} ${answer.text}`).toBe(route.status);
      }
    });
  });

  it.each(rows(allRoutes.filter(({ auth, id }) => auth === 'public' && !id.startsWith('auth.oidc'))))(
    '%s is open to anybody, also with a cookie that has ended',
    async (_id, route) => {
      for (const kind of ['none', 'ended session', 'expired session'] as const) {
        const answer = await send(world.base, await prepare(route, ada), credentials[kind]);
        expect(answer.status, `${kind}: ${answer.text}`).toBe(route.status);
      }
    },
  );

  describe.each(['/v1/traces', '/v1/logs', '/v1/metrics'])('the OTLP endpoint %s', (path) => {
    it('accepts only a live token that may ingest and is pinned to a project', async () => {
      const body = path === '/v1/traces' ? spanOf('credentials', '0af7651916cd43dd8448eb211c80319c') : {};
      const knock = async (credential: Credential) =>
        (await testClient(world.base, credential).post(path, body)).status;
      for (const [kind, credential] of Object.entries(credentials) as [Kind, Credential][])
        expect([401, 403], kind).toContain(await knock(credential));
      expect(await knock({ bearer: await ada.token(['telemetry:query']) })).toBe(403);
      expect(await knock({ bearer: await ada.token(['telemetry:ingest'], {}) })).toBe(403);
      expect(await knock({ bearer: await ada.token(['telemetry:ingest']) })).toBe(200);
    });
  });

  describe('alternative spellings of paths', () => {
    /** Sends a path without the normalization of `fetch`. */
    const raw = (path: string, headers: Record<string, string>) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const { hostname, port } = new URL(world.base);
        const outgoing = request({ hostname, port, path, method: 'GET', headers }, (incoming) => {
          let text = '';
          incoming.setEncoding('utf8');
          incoming.on('data', (chunk: string) => {
            text += chunk;
          });
          incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
        });
        outgoing.on('error', reject);
        outgoing.end();
      });

    /** Other spellings of a path, some of which proxies and frameworks treat as the same. */
    const spellings = (path: string): string[] => {
      const parts = path.split('/');
      const middle = Math.floor(parts.length / 2);
      const insert = (text: string) => [...parts.slice(0, middle), text, ...parts.slice(middle)].join('/');
      const last = parts.at(-1) ?? '';
      return [
        `/${path}`,
        path.replace('/api/', '/api//'),
        path.replace('/v1/', '/v1//'),
        insert(''),
        insert('.'),
        insert('x/..'),
        insert('..;'),
        insert('%2e'),
        insert('x/%2e%2e'),
        `${path}/`,
        `${path}//`,
        `${path}/.`,
        `${path}/%2e`,
        `${path};x=1`,
        `${path}%00`,
        `${path}%2f`,
        `${path}%20`,
        `${path}%0a`,
        `${path}.json`,
        path.toUpperCase(),
        path.replace('/api/', '/API/'),
        path.replace('workspaces', 'Workspaces'),
        path.replaceAll('/', '%2f').replace('%2f', '/'),
        path.replaceAll('/', '\\').replace('\\', '/'),
        path.replace(`/${last}`, `%2f${last}`),
        path.replace(`/${last}`, `/%${last.charCodeAt(0).toString(16)}${last.slice(1)}`),
        path.replace(`/${last}`, `/%25${last.charCodeAt(0).toString(16)}${last.slice(1)}`),
        `/x/..${path}`,
        `/healthz/..${path}`,
        `/healthz/..;${path}`,
        `/healthz%2f..${path}`,
        `http://127.0.0.1${path}`,
      ];
    };

    it('never bypass the credential or reach another workspace', async () => {
      const foreignToken = `Bearer ${await world.eve.token(['telemetry:query'], {})}`;
      const readable = protectedRoutes.filter(({ method, path }) => method === 'GET' && path.includes('{'));
      expect(readable.length).toBeGreaterThan(5);
      for (const route of readable) {
        const path = pathOf(await prepareRejected(route, ada));
        for (const spelling of spellings(path)) {
          for (const authorization of ['', foreignToken]) {
            const answer = await raw(spelling, authorization === '' ? {} : { authorization });
            const told = `${route.id}, ${spelling}: ${answer.status} ${answer.text.slice(0, 200)}`;
            expect(refusals, told).toContain(answer.status);
            expect(answer.text, told).not.toContain(ada.email);
          }
        }
      }
    });

    it('within a route are handled by that route', async () => {
      const { slug, workspaceId, cookie } = ada;
      const headers = { cookie };
      const encoded = [...slug].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
      expect((await raw(`/api/v1/workspaces/${encoded}/projects`, headers)).status).toBe(200);
      for (const other of [
        `${workspaceId}%2f..%2f${world.eve.workspaceId}`,
        `..%2f${world.eve.workspaceId}`,
        `${world.eve.workspaceId}%00`,
        `${workspaceId}%00`,
        workspaceId.toUpperCase(),
        slug.toUpperCase(),
        '%',
        '%zz',
        '%c0%af',
      ])
        expect(refusals, other).toContain((await raw(`/api/v1/workspaces/${other}/projects`, headers)).status);
    });
  });

  it('secrets appear in no log line and in no row, except as hashes', async () => {
    const canary = await signUp(world.base, 'canary');
    const { base } = world;
    const secrets = {
      password: testPassword,
      session: canary.cookie.replace(/^[^=]*=/, ''),
      token: await canary.token(['telemetry:ingest', 'telemetry:query']),
      key: await canary.sdkKey(),
    };
    const invited = await need(
      canary.post(`${canary.workspace}/invitations`, { email: 'guest-of-canary@example.com', role: 'viewer' }),
    );
    const invitation = /([\w-]{43})\/?$/.exec(invited.data.url)?.[1] ?? '';
    expect(invitation).toHaveLength(43);
    // Used correctly, used on wrong routes, and sent with an idempotency key.
    const program = testClient(base, { bearer: secrets.token });
    await program.post('/v1/traces', spanOf('canary', '0af7651916cd43dd8448eb211c80319c'));
    await program.post(`${canary.workspace}/query`, { query: 'spans | limit 1' }, { 'idempotency-key': 'one' });
    await testClient(base, { bearer: secrets.key }).post('/ofrep/v1/evaluate/flags', { context: {} });
    await testClient(base, { bearer: secrets.key }).get('/api/v1/workspaces');
    for (const path of ['api/features', 'api/eval', 'sub', 'nothing'])
      await testClient(base).post(`/growthbook/${path}/${secrets.key}`, '{', { 'content-type': 'application/json' });
    await testClient(base).get(`/growthbook/api/features/${secrets.key}`);
    await testClient(base).post(`/growthbook/track?client_key=${secrets.key}`, []);
    await testClient(base, { bearer: `${secrets.token}x` }).get('/api/v1/workspaces');
    await testClient(base).get(`/api/v1/nothing/here?token=${secrets.token}`);
    await testClient(base).get(`/api/v1/invitations/${invitation}`);
    await canary.post('/api/v1/tokens', { name: 'once', permissions: ['flags:read'] }, { 'idempotency-key': 'two' });
    const again = await testClient(base).post('/api/v1/auth/login', {
      email: canary.email,
      password: secrets.password,
    });
    const malformed = { 'content-type': 'application/json' };
    await testClient(base).post('/api/v1/auth/login', `{"password": "${secrets.password}", `, malformed);
    const planted = { ...secrets, invitation, 'second session': cookiesOf(again).replace(/^[^=]*=/, '') };

    const tables = await sql<{
      name: string;
    }>`SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`.execute(world.db);
    expect(tables.rows.length).toBeGreaterThan(15);
    for (const { name } of tables.rows) {
      const { rows: kept } = await sql<{
        text: string | null;
      }>`SELECT string_agg(t::text, ' ') AS text FROM ${sql.raw(name)} AS t`.execute(world.db);
      for (const [what, secret] of Object.entries(planted))
        expect(kept[0]?.text ?? '', `${what} in ${name}`).not.toContain(secret);
    }
    for (const [what, secret] of Object.entries(planted)) {
      expect(secret.length, what).toBeGreaterThan(15);
      expect(world.log(), `${what} in the log`).not.toContain(secret);
    }
    const entries = await canary.get('/api/v1/audit?limit=500');
    for (const [what, secret] of Object.entries(planted)) expect(entries.text, what).not.toContain(secret);
  });
});
