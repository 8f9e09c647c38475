import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../platform/log.ts';
import { startTestApp, type TestApp, type TestRequest, testClock } from '../../../testing/test-app.ts';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import {
  startLyingProvider,
  startTestOidcProvider,
  type TestOidcProvider,
  testClient,
} from '../../../testing/test-oidc-provider.ts';
import { personPassword, signUpPerson } from '../../../testing/test-people.ts';
import { authFeature, defaultLimits } from '../index.ts';
import type { OidcConfig } from './providers.ts';

const callbackOf = (slug: string) => `http://fanion.test/api/v1/auth/oidc/${slug}/callback`;

describe.each(testStores)('signing in with OpenID Connect on %s', (_name, startStore) => {
  let store: TestStore;
  let acme: TestOidcProvider;
  let liar: Awaited<ReturnType<typeof startLyingProvider>>;
  let database: TestDatabase;
  let clock: ReturnType<typeof testClock>;
  let app: TestApp;
  const lines: string[] = [];

  beforeAll(async () => {
    [store, acme, liar] = await Promise.all([
      startStore(),
      startTestOidcProvider([callbackOf('acme'), callbackOf('other')]),
      startLyingProvider(),
    ]);
  });
  afterAll(() => Promise.all([store.close(), acme.close(), liar.close()]));
  beforeEach(async () => {
    database = await store.fresh();
    clock = testClock(Date.now());
    lines.length = 0;
    liar.lie.current = {};
    acme.accounts.clear();
    acme.accounts.set('ada', { email: 'Ada@Example.com', email_verified: true, name: 'Ada Lovelace' });
    app = await start();
  });
  afterEach(async () => {
    await app.close();
    await database.close();
  });

  function start(more: Partial<OidcConfig> & { signup?: 'open' | 'invite' } = {}): Promise<TestApp> {
    const { signup = 'open', ...config } = more;
    const provider = (slug: string, issuer: string): OidcConfig => ({
      slug,
      name: slug,
      issuer,
      clientId: testClient.id,
      clientSecret: testClient.secret,
      workspace: undefined,
      groupsClaim: 'groups',
      groupRoles: new Map(),
      defaultRole: undefined,
      ...config,
    });
    return startTestApp({
      db: database.db,
      clock,
      log: createLog('trace', { write: (line: string) => void lines.push(line) }),
      features: (dependencies) =>
        authFeature({
          ...dependencies,
          config: {
            baseUrl: undefined,
            signup,
            oidc: [provider('acme', acme.issuer), provider('other', acme.issuer), provider('liar', liar.issuer)],
          },
          limits: defaultLimits,
        }),
    });
  }
  async function restart(more: Parameters<typeof start>[0]): Promise<void> {
    await app.close();
    app = await start(more);
  }

  interface Begun {
    readonly location: URL;
    readonly cookie: string;
  }
  async function begin(slug = 'acme', query = '', request: TestRequest = {}): Promise<Begun> {
    const answer = await app.call('GET', `/auth/oidc/${slug}/start${query}`, request);
    if (answer.status !== 302) throw new Error(`start: ${answer.status} ${answer.text}`);
    const cookie = answer.setCookies.find((line) => line.startsWith('svc_oidc='))?.split(';')[0] ?? '';
    return { location: new URL(String(answer.headers.location)), cookie };
  }
  /** Without an origin: it is a navigation from the provider. */
  const finish = (back: URL, cookie: string | undefined, headers: Record<string, string> = {}) =>
    app.call('GET', back.pathname + back.search, { headers: { ...(cookie && { cookie }), ...headers } });
  async function signIn(subject = 'ada', options: { query?: string; session?: string | undefined } = {}) {
    const { location, cookie } = await begin('acme', options.query);
    const back = await acme.authorize(location.href, subject);
    return finish(back, options.session === undefined ? cookie : `${cookie}; ${options.session}`);
  }
  const me = async (cookie: string | undefined) => (await app.call('GET', '/auth/me', { cookie })).data;
  const refused = (reason: RegExp) => ({
    status: 401,
    cookie: undefined,
    error: { code: 'SVC-2008', message: expect.stringMatching(reason) },
  });
  const notBegun = refused(/not begun in this browser/);
  const refusedByProvider = refused(/the provider refused, or its answer is not valid/);

  describe('a new person', () => {
    it('gets an account and a workspace, a session, and comes back to where the way began', async () => {
      const answer = await signIn('ada', { query: '?return_to=%2Fw%2Facme%3Ftab%3Dflags' });
      expect(answer).toMatchObject({ status: 302, headers: { location: '/w/acme?tab=flags' } });
      expect(answer.setCookies[0]).toMatch(/^svc_session=[\w-]{43}; .*HttpOnly; SameSite=Lax/);
      expect(await me(answer.cookie)).toMatchObject({
        user: { email: 'ada@example.com', name: 'Ada Lovelace', has_password: false },
        workspaces: [{ name: "Ada Lovelace's workspace", role: 'owner' }],
      });
      const entries = await database.db.selectFrom('audit_entries').selectAll().execute();
      expect(entries).toMatchObject([
        { action: 'auth.oidc_callback', actor_type: 'user', resource_name: 'ada@example.com' },
      ]);
    });

    it('is the same person the next time, also with another address', async () => {
      const first = await me((await signIn()).cookie);
      acme.accounts.set('ada', { email: 'countess@example.com', email_verified: false });
      const second = await me((await signIn()).cookie);
      expect(second.user).toEqual(first.user);
      expect(await database.db.selectFrom('identities').selectAll().execute()).toMatchObject([
        { issuer: acme.issuer, subject: 'ada', user_id: first.user.id },
      ]);
    });

    it('cannot log in with a password, as there is none', async () => {
      await signIn();
      for (const password of ['', 'null', 'undefined'])
        expect((await app.call('POST', '/auth/login', { body: { email: 'ada@example.com', password } })).status).toBe(
          401,
        );
    });

    it('in two tabs at once is one account', async () => {
      const flows = await Promise.all([begin(), begin()]);
      const backs = await Promise.all(flows.map(({ location }) => acme.authorize(location.href, 'ada')));
      const answers = await Promise.all(backs.map((back, n) => finish(back, flows[n]?.cookie)));
      expect(answers.map(({ status }) => status)).toEqual([302, 302]);
      expect(await database.db.selectFrom('users').select('id').execute()).toHaveLength(1);
      expect(await database.db.selectFrom('workspaces').select('id').execute()).toHaveLength(1);
    });

    it.each([
      ['an address that is not verified', { email: 'ada@example.com', email_verified: false }],
      ['an address of which nothing is said', { email: 'ada@example.com' }],
      ['a word that is not true', { email: 'ada@example.com', email_verified: 'yes' }],
      ['no address', { email_verified: true }],
      ['what is no address', { email: 'ada', email_verified: true }],
    ])('with %s is refused', async (_what, account) => {
      acme.accounts.set('ada', account);
      expect(await signIn()).toMatchObject(refused(/no e-mail address that it has verified/));
      expect(await database.db.selectFrom('users').select('id').execute()).toEqual([]);
    });
  });

  describe('an address that an account has already', () => {
    it('opens nothing by itself, whoever made the account', async () => {
      const ada = await signUpPerson(app, 'ada');
      expect(await signIn()).toMatchObject(refused(/log in with its password first/));
      expect(await database.db.selectFrom('identities').selectAll().execute()).toEqual([]);
      expect((await ada.call('GET', '/auth/me')).status).toBe(200);
    });

    it('is connected by who is signed in with it, and from then on signs in', async () => {
      const ada = await signUpPerson(app, 'ada');
      const connected = await signIn('ada', { session: ada.cookie });
      expect(connected.status).toBe(302);
      expect((await me(connected.cookie)).user.id).toBe(ada.userId);
      // The session was rotated.
      expect((await ada.call('GET', '/auth/me')).status).toBe(401);
      expect((await me((await signIn()).cookie)).user.id).toBe(ada.userId);
      expect(
        (await app.call('POST', '/auth/login', { body: { email: ada.email, password: personPassword } })).status,
      ).toBe(200);
    });

    it('is not connected to the account of somebody else who is signed in', async () => {
      await signUpPerson(app, 'ada');
      const eve = await signUpPerson(app, 'eve');
      expect(await signIn('ada', { session: eve.cookie })).toMatchObject(refused(/log in with its password first/));
      // Nor does a new identity become part of the account that happens to be signed in.
      acme.accounts.set('bob', { email: 'bob@example.com', email_verified: true });
      const bob = await signIn('bob', { session: eve.cookie });
      expect((await me(bob.cookie)).user.email).toBe('bob@example.com');
      expect(await database.db.selectFrom('identities').select('subject').execute()).toEqual([{ subject: 'bob' }]);
    });
  });

  describe('the way there', () => {
    it('carries state, nonce and a PKCE challenge, and a cookie for this browser alone', async () => {
      const answer = await app.call('GET', '/auth/oidc/acme/start');
      const { searchParams, origin } = new URL(String(answer.headers.location));
      expect(origin).toBe(acme.issuer);
      expect(Object.fromEntries(searchParams)).toMatchObject({
        client_id: testClient.id,
        response_type: 'code',
        redirect_uri: callbackOf('acme'),
        scope: 'openid email profile',
        code_challenge_method: 'S256',
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      });
      expect(answer.setCookies[0]).toMatch(/^svc_oidc=[\w-]{43}; /);
      for (const flag of ['HttpOnly', 'SameSite=Lax', 'Path=/api/v1/auth/oidc', 'Max-Age=600'])
        expect(answer.setCookies[0]?.split('; ')).toContain(flag);
      expect(answer.headers['cache-control']).toBe('no-store');
      const row = JSON.stringify(await database.db.selectFrom('oidc_flows').selectAll().execute());
      expect(row).not.toContain(searchParams.get('state'));
    });

    it('is not there for a provider that is not configured', async () => {
      for (const path of ['start', 'callback?state=x&code=x'])
        expect(await app.call('GET', `/auth/oidc/nope/${path}`)).toMatchObject({
          status: 404,
          error: { code: 'SVC-2007' },
        });
    });

    it.each([
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/..//evil.example',
      '/%09/evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '',
    ])('leads back to this server and not to %j', async (to) => {
      const answer = await signIn('ada', { query: `?return_to=${encodeURIComponent(to)}` });
      expect(answer.status).toBe(302);
      const { origin, pathname } = new URL(String(answer.headers.location), 'https://fanion.example/x');
      expect(origin).toBe('https://fanion.example');
      expect(pathname.startsWith('//')).toBe(false);
    });

    it('is limited per address', async () => {
      const { kind, attempts } = defaultLimits.oidcAddress;
      await begin();
      await database.db.updateTable('attempts').set({ attempts }).where('kind', '=', kind).execute();
      expect(await app.call('GET', '/auth/oidc/acme/start')).toMatchObject({
        status: 429,
        error: { code: 'SVC-2003' },
      });
    });
  });

  describe('the way back', () => {
    it('is refused with another state, without one, or twice', async () => {
      const { location, cookie } = await begin();
      const back = await acme.authorize(location.href, 'ada');
      for (const state of ['x', 'A'.repeat(43), '']) {
        const forged = new URL(back);
        forged.searchParams.set('state', state);
        expect(await finish(forged, cookie)).toMatchObject(notBegun);
      }
      const without = new URL(back);
      without.searchParams.delete('state');
      expect(await finish(without, cookie)).toMatchObject(notBegun);
      expect((await finish(back, cookie)).status).toBe(302);
      expect(await finish(back, cookie)).toMatchObject(notBegun);
    });

    it('is refused in another browser (login CSRF)', async () => {
      const eves = await begin();
      const back = await acme.authorize(eves.location.href, 'ada');
      const victims = await begin();
      expect(await finish(back, undefined)).toMatchObject(notBegun);
      expect(await finish(back, victims.cookie)).toMatchObject(notBegun);
      expect(await finish(back, `svc_oidc=${'A'.repeat(43)}`)).toMatchObject(notBegun);
      expect((await finish(back, eves.cookie)).status).toBe(302);
    });

    it('works for several tabs of one browser', async () => {
      const first = await begin();
      const second = await begin('acme', '', { headers: { cookie: first.cookie } });
      expect(second.cookie).toBe(first.cookie);
      for (const { location } of [first, second])
        expect((await finish(await acme.authorize(location.href, 'ada'), first.cookie)).status).toBe(302);
    });

    it('is refused after ten minutes', async () => {
      const { location, cookie } = await begin();
      const back = await acme.authorize(location.href, 'ada');
      clock.advance(10 * 60_000);
      expect(await finish(back, cookie)).toMatchObject(notBegun);
    });

    it('is refused at the door of another provider (mix-up)', async () => {
      const { location, cookie } = await begin('acme');
      const back = await acme.authorize(location.href, 'ada');
      back.pathname = '/api/v1/auth/oidc/other/callback';
      expect(await finish(back, cookie)).toMatchObject(notBegun);
    });

    it('is refused with the `iss` of another issuer, or without the one that the provider promised', async () => {
      for (const iss of ['https://evil.example', `${acme.issuer}/`, undefined]) {
        const { location, cookie } = await begin();
        const back = await acme.authorize(location.href, 'ada');
        expect(back.searchParams.get('iss')).toBe(acme.issuer);
        if (iss === undefined) back.searchParams.delete('iss');
        else back.searchParams.set('iss', iss);
        expect(await finish(back, cookie)).toMatchObject(refusedByProvider);
      }
    });

    it('is refused when the ID token is for another nonce', async () => {
      const { location, cookie } = await begin();
      location.searchParams.set('nonce', 'another');
      expect(await finish(await acme.authorize(location.href, 'ada'), cookie)).toMatchObject(refusedByProvider);
    });

    it('is refused when the code was asked for with another challenge (PKCE)', async () => {
      const { location, cookie } = await begin();
      location.searchParams.set('code_challenge', 'A'.repeat(43));
      expect(await finish(await acme.authorize(location.href, 'ada'), cookie)).toMatchObject(refusedByProvider);
    });

    it('is refused with the code of another flow (code injection)', async () => {
      acme.accounts.set('eve', { email: 'eve@example.com', email_verified: true });
      const adas = await begin();
      const stolen = (await acme.authorize(adas.location.href, 'ada')).searchParams.get('code') ?? '';
      const eves = await begin();
      const back = await acme.authorize(eves.location.href, 'eve');
      back.searchParams.set('code', stolen);
      expect(await finish(back, eves.cookie)).toMatchObject(refusedByProvider);
    });

    it('is refused when the person said no there, without a word of what the provider wrote', async () => {
      const { location, cookie } = await begin();
      const state = location.searchParams.get('state') ?? '';
      const query = new URLSearchParams({
        state,
        error: 'access_denied',
        error_description: 'call 0900-EVIL',
        iss: acme.issuer,
      });
      const answer = await finish(new URL(`${callbackOf('acme')}?${query}`), cookie);
      expect(answer).toMatchObject(refusedByProvider);
      expect(answer.text).not.toContain('EVIL');
    });

    it('takes parameters that it does not know, and none of them twice', async () => {
      const { location, cookie } = await begin();
      const back = await acme.authorize(location.href, 'ada');
      back.searchParams.set('session_state', 'abc');
      const twice = new URL(back);
      twice.searchParams.append('state', 'second');
      expect((await finish(twice, cookie)).status).toBe(400);
      expect((await finish(back, cookie)).status).toBe(302);
    });

    it('shows people the sign-in page with the reason', async () => {
      const answer = await finish(new URL(`${callbackOf('acme')}?state=x&code=y`), undefined, {
        accept: 'text/html,*/*',
      });
      expect(answer).toMatchObject({
        status: 302,
        cookie: undefined,
        headers: { location: '/sign-in?error=SVC-2008&provider=acme&reason=state' },
      });
    });

    it('ends the session that the browser had', async () => {
      const eve = await signUpPerson(app, 'eve');
      const answer = await signIn('ada', { session: eve.cookie });
      expect(answer.status).toBe(302);
      expect((await eve.call('GET', '/auth/me')).status).toBe(401);
    });
  });

  describe('a provider that lies', () => {
    async function throughLiar() {
      const { location, cookie } = await begin('liar');
      liar.nonce.current = location.searchParams.get('nonce') ?? '';
      const query = new URLSearchParams({ state: location.searchParams.get('state') ?? '', code: 'x' });
      return finish(new URL(`${callbackOf('liar')}?${query}`), cookie);
    }

    it('is believed while it does not', async () => {
      expect((await throughLiar()).status).toBe(302);
    });

    it.each([
      ['speaks for another issuer', { claims: { iss: 'https://accounts.example.com' } }],
      ['gives a token for another client', { claims: { aud: 'another' } }],
      [
        'gives a token for several, and another may use it',
        { claims: { aud: [testClient.id, 'another'], azp: 'another' } },
      ],
      ['gives a token that has expired', { claims: { exp: 1_600_000_000, iat: 1_599_999_000 } }],
      ['gives a token without a nonce', { claims: { nonce: undefined } }],
      ['gives a token without a subject', { claims: { sub: undefined } }],
      ['signs with another key', { key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey }],
      ['does not sign', { header: { alg: 'none' }, key: 'none' as const }],
      ['does not sign and says that it did', { key: 'none' as const }],
    ])('and %s is refused', async (_what, lie) => {
      await begin('liar');
      liar.lie.current = lie;
      expect(await throughLiar()).toMatchObject(refusedByProvider);
      expect(await database.db.selectFrom('users').select('id').execute()).toEqual([]);
    });

    it('about who it is cannot be used at all', async () => {
      liar.lie.current = { issuer: acme.issuer };
      expect(await app.call('GET', '/auth/oidc/liar/start')).toMatchObject(refused(/cannot be reached/));
    });

    it('does not make an identity of another provider its own', async () => {
      const ada = await me((await signIn()).cookie);
      liar.lie.current = { claims: { sub: 'ada', email: 'ada@example.com' } };
      expect(await throughLiar()).toMatchObject(refused(/log in with its password first/));
      liar.lie.current = { claims: { sub: 'ada', email: 'mallory@example.com' } };
      expect((await me((await throughLiar()).cookie)).user.id).not.toBe(ada.user.id);
    });
  });

  describe('a provider that', () => {
    it('fails is asked again, and what it said before counts meanwhile', async () => {
      liar.lie.current = {
        answer: (_request, response) => {
          response.statusCode = 503;
          response.end();
          return true;
        },
      };
      expect(await app.call('GET', '/auth/oidc/liar/start')).toMatchObject(refused(/cannot be reached/));
      const broken = liar.lie.current;
      liar.lie.current = {};
      await begin('liar');
      liar.lie.current = broken;
      clock.advance(2 * 3_600_000);
      await begin('liar');
    });

    it('is asked for its addresses once an hour, however many people come', async () => {
      liar.requests.length = 0;
      await Promise.all([begin('liar'), begin('liar'), begin('liar')]);
      await begin('liar');
      expect(liar.requests).toEqual(['/.well-known/openid-configuration']);
      clock.advance(3_600_001);
      await begin('liar');
      expect(liar.requests).toHaveLength(2);
    });

    it('answers without end is cut off', async () => {
      liar.lie.current = {
        answer: (_request, response) => {
          response.setHeader('content-type', 'application/json');
          const more = () => {
            while (!response.destroyed && response.write(' '.repeat(65_536)));
          };
          response.on('drain', more);
          more();
          return true;
        },
      };
      expect(await app.call('GET', '/auth/oidc/liar/start')).toMatchObject(refused(/cannot be reached/));
    });

    it('sends elsewhere is not followed', async () => {
      liar.lie.current = {
        answer: (_request, response) => {
          response.writeHead(302, { location: `${acme.issuer}/.well-known/openid-configuration` }).end();
          return true;
        },
      };
      expect(await app.call('GET', '/auth/oidc/liar/start')).toMatchObject(refused(/cannot be reached/));
    });
  });

  describe('on a server by invitation', () => {
    const invited = async (role: 'editor' | 'viewer' = 'viewer') => {
      const owner = await signUpPerson(app, 'owner');
      const { id } = await database.db
        .selectFrom('roles')
        .select('id')
        .where('key', '=', role)
        .executeTakeFirstOrThrow();
      return { owner, roleId: id };
    };

    it('who is not invited gets no account', async () => {
      await restart({ signup: 'invite' });
      expect(await signIn()).toMatchObject(refused(/by invitation only/));
      await signUpPerson(app, 'owner');
      expect(await signIn()).toMatchObject(refused(/by invitation only/));
    });

    it('who is invited gets an account and no workspace, and still has to accept', async () => {
      await restart({ signup: 'invite' });
      const { owner, roleId } = await invited();
      await database.db
        .insertInto('invitations')
        .values({
          id: owner.userId,
          workspace_id: owner.workspaceId,
          email: 'ada@example.com',
          role_id: roleId,
          token_hash: Buffer.from('x'),
          invited_by: owner.userId,
          expires_at: new Date(clock.now() + 60_000),
        })
        .execute();
      const answer = await signIn();
      expect(await me(answer.cookie)).toMatchObject({ user: { email: 'ada@example.com' }, workspaces: [] });
    });

    it('who has a role by the configuration becomes a member with it', async () => {
      await restart({
        signup: 'invite',
        workspace: 'owner-workspace',
        groupRoles: new Map([
          ['ops', 'admin'],
          ['devs', 'Editor'],
        ]),
      });
      const { owner } = await invited();
      expect(await signIn()).toMatchObject(refused(/by invitation only/));
      acme.accounts.set('ada', { email: 'ada@example.com', email_verified: true, groups: ['devs', 'unknown'] });
      expect(await me((await signIn()).cookie)).toMatchObject({
        workspaces: [{ id: owner.workspaceId, role: 'editor' }],
      });
      // Groups decide again each time, the first of the configuration first; who is in none keeps the role.
      acme.accounts.set('ada', { email: 'ada@example.com', email_verified: true, groups: ['devs', 'ops'] });
      expect(await me((await signIn()).cookie)).toMatchObject({ workspaces: [{ role: 'admin' }] });
      acme.accounts.set('ada', { email: 'ada@example.com', email_verified: true, groups: [] });
      expect(await me((await signIn()).cookie)).toMatchObject({ workspaces: [{ role: 'admin' }] });
    });

    it('the default role makes members and changes none', async () => {
      await restart({ signup: 'invite', workspace: 'owner-workspace', defaultRole: 'viewer' });
      const { owner } = await invited();
      const answer = await signIn();
      expect(await me(answer.cookie)).toMatchObject({ workspaces: [{ role: 'viewer' }] });
      const { id } = await database.db
        .selectFrom('roles')
        .select('id')
        .where('key', '=', 'editor')
        .executeTakeFirstOrThrow();
      await database.db.updateTable('members').set({ role_id: id }).where('user_id', '<>', owner.userId).execute();
      expect(await me((await signIn()).cookie)).toMatchObject({ workspaces: [{ role: 'editor' }] });
    });

    it('the last owner stays one, whatever the groups say', async () => {
      await restart({ signup: 'invite', workspace: 'owner-workspace', groupRoles: new Map([['devs', 'viewer']]) });
      const { owner } = await invited();
      acme.accounts.set('boss', { email: owner.email, email_verified: true, groups: ['devs'] });
      const answer = await signIn('boss', { session: owner.cookie });
      expect(await me(answer.cookie)).toMatchObject({ user: { id: owner.userId }, workspaces: [{ role: 'owner' }] });
    });

    it('a configuration that names what does not exist gives nothing, and says so in the log', async () => {
      await restart({ signup: 'invite', workspace: 'owner-workspace', defaultRole: 'king' });
      await invited();
      expect(await signIn()).toMatchObject(refused(/by invitation only/));
      expect(lines.join('')).toContain('names a workspace or a role that does not exist');
    });
  });

  it('secrets stay out of the log, the audit and the answers', async () => {
    const { location, cookie } = await begin();
    const back = await acme.authorize(location.href, 'ada');
    const flow = await database.db.selectFrom('oidc_flows').selectAll().executeTakeFirstOrThrow();
    const answer = await finish(back, cookie);
    const wrong = await begin();
    wrong.location.searchParams.set('nonce', 'another');
    const second = await finish(await acme.authorize(wrong.location.href, 'ada'), wrong.cookie);
    const everything = [
      ...lines,
      answer.text,
      second.text,
      JSON.stringify(await database.db.selectFrom('audit_entries').selectAll().execute()),
    ].join('\n');
    expect(everything).toContain('was refused');
    for (const secret of [
      testClient.secret,
      back.searchParams.get('code'),
      back.searchParams.get('state'),
      flow.code_verifier,
      cookie.split('=')[1],
      answer.cookie?.split('=')[1],
      'eyJ',
    ])
      expect(everything).not.toContain(secret);
  });
});

describe('an issuer in the configuration', () => {
  const configured = (issuer: string) =>
    startTestApp({
      db: undefined as never,
      features: (dependencies) =>
        authFeature({
          ...dependencies,
          config: {
            baseUrl: undefined,
            signup: 'open',
            oidc: [
              {
                slug: 'acme',
                name: 'Acme',
                issuer,
                clientId: 'x',
                clientSecret: 'y',
                workspace: undefined,
                groupsClaim: 'groups',
                groupRoles: new Map(),
                defaultRole: undefined,
              },
            ],
          },
        }),
    });
  it.each([
    'http://accounts.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'ftp://127.0.0.1',
    'https://accounts.example.com/.well-known/openid-configuration',
    'https://accounts.example.com/?tenant=x',
  ])('%s is refused by name at the start', async (issuer) => {
    await expect(configured(issuer)).rejects.toThrow('FANION_OIDC_ACME_ISSUER');
  });
  it.each([
    'https://accounts.example.com/tenant',
    'http://localhost:9000',
    'http://127.0.0.1:9000',
    'http://[::1]:9000',
  ])('%s is taken', async (issuer) => {
    await (await configured(issuer)).close();
  });
});
