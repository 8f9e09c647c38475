import { allRoutes } from '@fanion/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import { startTestApp, type TestApp, type TestRequest, testClock } from '../../../testing/test-app.ts';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import { removeExpired } from './expired.ts';
import { authFeature, defaultLimits } from './index.ts';

const password = 'correct horse battery staple';
const ada = { email: 'ada@example.com', password, name: 'Ada' };

describe.each(testStores)('accounts and sessions on %s', (_name, startStore) => {
  let store: TestStore;
  let database: TestDatabase;
  let clock: ReturnType<typeof testClock>;
  let app: TestApp;
  const lines: string[] = [];

  beforeAll(async () => {
    store = await startStore();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    database = await store.fresh();
    clock = testClock();
    app = await start();
  });
  afterEach(async () => {
    await app.close();
    await database.close();
  });

  function start(config: { baseUrl?: string; signup?: 'open' | 'invite' } = {}): Promise<TestApp> {
    lines.length = 0;
    return startTestApp({
      db: database.db,
      clock,
      baseUrl: config.baseUrl,
      log: createLog('trace', { write: (line: string) => void lines.push(line) }),
      features: (dependencies) =>
        authFeature.routes({
          ...dependencies,
          config: {
            baseUrl: config.baseUrl,
            signup: config.signup ?? 'open',
            oidc: [],
            secretKey: Buffer.from('the secret key of a test server, 32 bytes'),
          },
          limits: {
            ...defaultLimits,
            loginAccountAddress: { ...defaultLimits.loginAccountAddress, attempts: 3 },
            loginAccount: { ...defaultLimits.loginAccount, attempts: 8 },
            loginDevice: { ...defaultLimits.loginDevice, attempts: 3 },
          },
        }),
    });
  }

  const signUp = (more: Readonly<Record<string, unknown>> = {}, request: TestRequest = {}) =>
    app.call('POST', '/auth/signup', { body: { ...ada, ...more }, ...request });
  const logIn = (more: Partial<typeof ada> = {}, request: TestRequest = {}) => {
    const { email, password } = { ...ada, ...more };
    return app.call('POST', '/auth/login', { body: { email, password }, ...request });
  };
  const me = (cookie: string | undefined) => app.call('GET', '/auth/me', { cookie });
  const audit = () => database.db.selectFrom('audit_entries').selectAll().orderBy('id').execute();

  describe('sign-up', () => {
    it('creates account, workspace, roles, project and environments, and signs in', async () => {
      const answer = await signUp({ workspace_name: 'Analytical Engines' });
      expect(answer.status).toBe(201);
      expect(answer.data).toMatchObject({
        user: { email: 'ada@example.com', name: 'Ada', has_password: true },
        workspace: { slug: 'analytical-engines', name: 'Analytical Engines' },
      });
      const who = await me(answer.cookie);
      expect(who.data.workspaces).toHaveLength(1);
      expect(who.data.workspaces[0]).toMatchObject({ slug: 'analytical-engines', role: 'owner' });
      expect(who.data.workspaces[0].permissions).toContain('workspace:write');
      const { db } = database;
      const roles = await db.selectFrom('roles').select('key').orderBy('id').execute();
      expect(roles.map(({ key }) => key)).toEqual(['owner', 'admin', 'editor', 'viewer']);
      expect(await db.selectFrom('projects').select(['key']).execute()).toEqual([{ key: 'default' }]);
      const environments = await db.selectFrom('environments').select('key').orderBy('id').execute();
      expect(environments.map(({ key }) => key)).toEqual(['production', 'development']);
    });

    it('chooses another slug when the workspace name is taken', async () => {
      await signUp();
      const second = await signUp({ email: 'other@example.com' });
      expect(second.data.workspace).toMatchObject({ name: "Ada's workspace", slug: 'adas-workspace-2' });
    });

    it('rejects an address that is taken, whatever its case, and leaves nothing behind', async () => {
      await signUp();
      const again = await signUp({ email: 'ADA@Example.com', password: 'another password' });
      expect(again).toMatchObject({ status: 409, error: { code: 'SVC-2005' }, cookie: undefined });
      expect(await database.db.selectFrom('workspaces').select('id').execute()).toHaveLength(1);
      expect(await audit()).toHaveLength(1);
      expect((await logIn()).status).toBe(200);
    });

    it.each([
      ['no name', { name: ' ' }],
      ['a short password', { password: '1234567' }],
      ['an endless password', { password: 'x'.repeat(201) }],
      ['an invalid address', { email: 'ada@' }],
      ['a line break in the name', { name: 'Ada\nBcc: eve@evil.example' }],
      ['a field that does not exist', { admin: true }],
    ])('rejects %s', async (_what, more) => {
      expect(await signUp(more)).toMatchObject({ status: 422, error: { code: 'SVC-1002' } });
    });

    it('by invitation only accepts the first person, and only one of several at once', async () => {
      await app.close();
      app = await start({ signup: 'invite' });
      const all = await Promise.all([1, 2, 3, 4].map((n) => signUp({ email: `first${n}@example.com` })));
      expect(all.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403]);
      expect(await signUp()).toMatchObject({ status: 403, error: { code: 'SVC-2004' } });
      // A rejected sign-up does not reveal which accounts exist.
      const inside = all.findIndex(({ status }) => status === 201) + 1;
      expect(await signUp({ email: `first${inside}@example.com` })).toMatchObject({ error: { code: 'SVC-2004' } });
    });

    it('is limited per address', async () => {
      const { kind, attempts } = defaultLimits.signupAddress;
      await signUp();
      await database.db.updateTable('attempts').set({ attempts }).where('kind', '=', kind).execute();
      expect(await signUp({ email: 'b@example.com' })).toMatchObject({ status: 429, error: { code: 'SVC-2003' } });
      expect((await signUp({ email: 'b@example.com' }, { from: '192.0.2.2' })).status).toBe(201);
    });
  });

  describe('the session cookie', () => {
    it('is HttpOnly, SameSite=Lax, for all paths, and not Secure over plain http', async () => {
      const { setCookies } = await signUp();
      expect(setCookies.map((line) => line.split('=')[0])).toEqual(['svc_session', 'svc_device', 'svc_device']);
      const flags = setCookies[0]?.split('; ').slice(1) ?? [];
      expect(flags).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=2592000']));
      expect(flags).not.toContain('Secure');
      expect(setCookies[0]).toMatch(/^svc_session=[\w-]{43};/);
    });

    it('is Secure behind https', async () => {
      await app.close();
      app = await start({ baseUrl: 'https://fanion.example' });
      expect((await signUp()).setCookies[0]).toContain('; Secure');
      expect((await logIn()).setCookies[0]).toContain('; Secure');
    });

    it('is stored as a hash only', async () => {
      const { cookie } = await signUp();
      const secret = cookie?.split('=')[1] ?? '';
      const [row] = await database.db.selectFrom('sessions').selectAll().execute();
      expect(JSON.stringify(row)).not.toContain(secret);
      expect(row?.id_hash.toString('base64url')).not.toBe(secret);
    });

    it('changes at login, which ends the earlier session', async () => {
      const first = await signUp();
      const second = await logIn({}, { cookie: first.cookie });
      expect(second.cookie).toBeDefined();
      expect(second.cookie).not.toBe(first.cookie);
      expect((await me(second.cookie)).status).toBe(200);
      expect(await me(first.cookie)).toMatchObject({ status: 401, error: { code: 'SVC-2001' } });
    });

    it('is never reused when somebody else chose its value', async () => {
      await signUp();
      const { cookie } = await logIn({}, { cookie: `svc_session=${'A'.repeat(43)}` });
      expect(cookie).not.toBe(`svc_session=${'A'.repeat(43)}`);
      expect((await me(`svc_session=${'A'.repeat(43)}`)).status).toBe(401);
    });

    it('ends after a week without use and after 30 days in any case', async () => {
      const { cookie } = await signUp();
      const day = 86_400_000;
      for (let used = 0; used < 4; used++) {
        clock.advance(6.9 * day);
        expect((await me(cookie)).status).toBe(200);
      }
      clock.advance(3 * day);
      expect((await me(cookie)).status).toBe(401);
      const second = await logIn();
      clock.advance(7.1 * day);
      expect((await me(second.cookie)).status).toBe(401);
      expect(await removeExpired(database.db, clock.now())).toBeGreaterThanOrEqual(2);
      expect(await database.db.selectFrom('sessions').selectAll().execute()).toEqual([]);
    });

    it('is removed at logout, on the server and in the browser', async () => {
      const { cookie } = await signUp();
      const out = await app.call('POST', '/auth/logout', { cookie });
      expect(out.status).toBe(204);
      expect(out.setCookies[0]).toMatch(/^svc_session=; /);
      expect((await me(cookie)).status).toBe(401);
    });
  });

  describe('login', () => {
    it('fails in the same way for a wrong password, an unknown address and an account without a password', async () => {
      await signUp();
      await database.db
        .insertInto('users')
        .values({ id: newId(), email: 'sso@example.com', name: 'S', password_hash: null })
        .execute();
      const answers = [
        await logIn({ password: 'wrong' }),
        await logIn({ email: 'nobody@example.com' }),
        await logIn({ email: 'sso@example.com' }),
        await logIn({ email: 'no\0body@example.com' }),
        await logIn({ email: '' }),
      ];
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 401, error: { code: 'SVC-2002' }, cookie: undefined, data: null });
        expect(answer.error).toEqual(answers[0]?.error);
        expect(Object.keys(answer.headers).sort()).toEqual(Object.keys(answers[0]?.headers ?? {}).sort());
      }
    });

    it('accepts the address in any case and the password in any Unicode composition', async () => {
      await signUp({ password: 'Gru\u0308ezi mitenand' });
      expect((await logIn({ email: ' ADA@example.COM ', password: 'Gr\u00fcezi mitenand' })).status).toBe(200);
    });

    it('is limited per account, known or not, and address, whatever X-Forwarded-For says', async () => {
      await signUp();
      for (const email of ['ada@example.com', 'nobody@example.com']) {
        const statuses = [];
        for (let n = 0; n < 5; n++) {
          const request = { from: '192.0.2.10', headers: { 'x-forwarded-for': `10.0.0.${n}` } };
          statuses.push((await logIn({ email, password: `guess ${n}` }, request)).status);
        }
        expect(statuses).toEqual([401, 401, 401, 429, 429]);
      }
      const limited = await logIn({}, { from: '192.0.2.10' });
      expect(limited).toMatchObject({ status: 429, error: { code: 'SVC-2003' }, cookie: undefined });
      expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
      clock.advance(Number(limited.headers['retry-after']) * 1000);
      expect((await logIn({}, { from: '192.0.2.10' })).status).toBe(200);
    });

    it('cannot be locked by a stranger at another address', async () => {
      await signUp();
      for (let n = 0; n < 20; n++) await logIn({ password: `guess ${n}` }, { from: '203.0.113.66' });
      expect((await logIn({}, { from: '192.0.2.77' })).status).toBe(200);
    });

    it('allows each address fewer attempts when many guess together', async () => {
      await signUp();
      const guesses = async (from: string) => {
        const statuses = [];
        for (let n = 0; n < 3; n++) statuses.push((await logIn({ password: `guess ${n}` }, { from })).status);
        return statuses;
      };
      for (const host of [1, 2]) expect(await guesses(`203.0.113.${host}`)).toEqual([401, 401, 401]);
      for (const host of [3, 4, 5]) await guesses(`203.0.113.${host}`);
      expect(await guesses('203.0.113.6')).toEqual([401, 401, 429]);
      // Even so, the right password succeeds at the first attempt.
      expect((await logIn({}, { from: '192.0.2.77' })).status).toBe(200);
    });

    it('on a known device is not limited by what others do, even behind the same address', async () => {
      const device = (await signUp()).setCookies.find((line) => line.startsWith('svc_device='))?.split(';')[0];
      const from = '203.0.113.66';
      for (let n = 0; n < 5; n++) await logIn({ password: `guess ${n}` }, { from });
      const known = { from, headers: { cookie: device ?? '' } };
      expect((await logIn({}, { from })).status).toBe(429);
      expect((await logIn({ email: 'nobody@example.com' }, known)).status).toBe(401);
      expect((await logIn({}, known)).status).toBe(200);
      const statuses = [];
      for (let n = 0; n < 5; n++) statuses.push((await logIn({ password: `guess ${n}` }, known)).status);
      expect(statuses).toEqual([401, 401, 401, 429, 429]);
    });

    it('never locks the owner out on another address or on a known device, however many guess', async () => {
      const device = (await signUp()).setCookies.find((line) => line.startsWith('svc_device='))?.split(';')[0];
      const office = '203.0.113.66';
      const accounts = ['ada@example.com', 'nobody@example.com'];
      // The office uses up its attempts for the account, twelve other addresses theirs, and then the office all it has.
      for (const from of [office, ...Array.from({ length: 12 }, (_, host) => `198.51.100.${host}`)]) {
        for (let n = 0; n < 4; n++) {
          const [known, unknown] = await Promise.all(
            accounts.map((email) => logIn({ email, password: 'no' }, { from })),
          );
          // Who guesses does not learn which account there is.
          expect([known?.status, known?.error]).toEqual([unknown?.status, unknown?.error]);
        }
      }
      const { kind, attempts } = defaultLimits.loginAddress;
      await database.db.updateTable('attempts').set({ attempts }).where('kind', '=', kind).execute();
      expect((await logIn({}, { from: office })).status).toBe(429);
      expect((await logIn({}, { from: '192.0.2.77' })).status).toBe(200);
      expect((await logIn({}, { from: office, headers: { cookie: device ?? '' } })).status).toBe(200);
      // A device of somebody else, or one that is made up, is none.
      const [name, value = ''] = (device ?? '').split('=');
      const altered = `${name}=${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`;
      for (const cookie of ['svc_device=x', altered, 'svc_device=AAAAAAAAAAAAAAAAAAAAAA'])
        expect((await logIn({}, { from: office, headers: { cookie } })).status).toBe(429);
    });

    it('is limited per address over all accounts, also with forged headers', async () => {
      const { kind, attempts } = defaultLimits.loginAddress;
      await signUp();
      await logIn({ email: 'x@example.com' });
      await database.db.updateTable('attempts').set({ attempts }).where('kind', '=', kind).execute();
      for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip'])
        expect((await logIn({}, { headers: { [header]: '203.0.113.9' } })).status).toBe(429);
      expect((await logIn({}, { from: '192.0.2.77' })).status).toBe(200);
    });

    it('counts simultaneous attempts one by one', async () => {
      await signUp();
      const all = await Promise.all(Array.from({ length: 12 }, (_, n) => logIn({ password: `guess ${n}` })));
      expect(all.filter(({ status }) => status === 401)).toHaveLength(3);
      expect(all.filter(({ status }) => status === 429)).toHaveLength(9);
    });

    it('forgets earlier failures when it succeeds', async () => {
      await signUp();
      for (let round = 0; round < 3; round++) {
        for (let n = 0; n < 2; n++) expect((await logIn({ password: 'wrong' })).status).toBe(401);
        expect((await logIn()).status).toBe(200);
      }
    });
  });

  describe('a request from another site', () => {
    it('changes nothing with a session cookie', async () => {
      const { cookie } = await signUp();
      const attempts: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: 'http://fanion.test.evil.example' },
        { origin: '', 'sec-fetch-site': 'cross-site' },
      ];
      for (const headers of attempts) {
        for (const [method, path, body] of [
          ['POST', '/auth/logout', undefined],
          ['PATCH', '/auth/me', { name: 'Eve' }],
          ['POST', '/auth/password', { current_password: password, new_password: 'eve knows this' }],
        ] as const) {
          const answer = await app.call(method, path, { cookie, body, headers });
          expect(answer).toMatchObject({ status: 403, error: { code: 'SVC-3001' } });
        }
      }
      expect((await me(cookie)).data.user.name).toBe('Ada');
    });

    it('cannot log in or sign up', async () => {
      await signUp();
      const headers = { origin: 'https://evil.example' };
      expect(await logIn({}, { headers })).toMatchObject({ status: 403, cookie: undefined });
      expect(await signUp({ email: 'eve@example.com' }, { headers })).toMatchObject({ status: 403, cookie: undefined });
    });
  });

  describe('the account of the caller', () => {
    it('changes its name', async () => {
      const { cookie } = await signUp();
      const answer = await app.call('PATCH', '/auth/me', { cookie, body: { name: 'Ada Lovelace' } });
      expect(answer.data.user.name).toBe('Ada Lovelace');
      expect((await me(cookie)).data.user.name).toBe('Ada Lovelace');
    });

    it('rejects every field other than the name', async () => {
      const { cookie } = await signUp();
      for (const extra of [{ email: 'eve@example.com' }, { password_hash: 'x' }, { id: 'x' }])
        expect((await app.call('PATCH', '/auth/me', { cookie, body: { name: 'A', ...extra } })).status).toBe(422);
    });

    const change = (cookie: string | undefined, current: string | undefined, next = 'a new password') =>
      app.call('POST', '/auth/password', { cookie, body: { current_password: current, new_password: next } });

    it('changes its password and ends all other sessions', async () => {
      const first = await signUp();
      const second = await logIn();
      expect(await change(first.cookie, 'wrong')).toMatchObject({ status: 403, error: { code: 'SVC-2006' } });
      expect(await change(first.cookie, undefined)).toMatchObject({ status: 403, error: { code: 'SVC-2006' } });
      expect((await me(second.cookie)).status).toBe(200);
      expect((await change(first.cookie, password)).status).toBe(204);
      expect((await me(first.cookie)).status).toBe(200);
      expect((await me(second.cookie)).status).toBe(401);
      expect((await logIn()).status).toBe(401);
      expect((await logIn({ password: 'a new password' })).status).toBe(200);
    });

    it('changes its password while a stranger guesses at it', async () => {
      const { cookie } = await signUp();
      for (let n = 0; n < 20; n++) await logIn({ password: `guess ${n}` }, { from: `203.0.113.${n % 4}` });
      expect((await change(cookie, password)).status).toBe(204);
    });

    it('cannot have its password guessed through an open session', async () => {
      const { cookie } = await signUp();
      const statuses = [];
      for (let n = 0; n < 5; n++) statuses.push((await change(cookie, `guess ${n}`)).status);
      expect(statuses).toEqual([403, 403, 403, 429, 429]);
    });

    it('applies one of two simultaneous password changes', async () => {
      const { cookie } = await signUp();
      const both = await Promise.all(
        ['first password', 'second password'].map((next) => change(cookie, password, next)),
      );
      expect(both.map(({ status }) => status).sort()).toEqual([204, 403]);
    });

    it('sets its first password without a current one when it came from a provider', async () => {
      const { cookie } = await signUp();
      await database.db.updateTable('users').set({ password_hash: null }).execute();
      expect((await me(cookie)).data.user.has_password).toBe(false);
      expect((await change(cookie, undefined)).status).toBe(204);
      expect((await logIn({ password: 'a new password' })).status).toBe(200);
      expect((await change(cookie, undefined)).status).toBe(403);
    });
  });

  it('lists permissions with their meanings', async () => {
    const { cookie } = await signUp();
    const { data } = await app.call('GET', '/permissions', { cookie });
    expect(data).toContainEqual({
      name: 'telemetry:query',
      level: 'environment',
      description: expect.stringContaining('Query'),
    });
    expect((await app.call('GET', '/permissions')).status).toBe(401);
  });

  it('writes each change to the audit log once, with its action and its actor', async () => {
    const { cookie, data } = await signUp();
    await logIn();
    await logIn({ password: 'wrong' });
    await app.call('PATCH', '/auth/me', { cookie, body: { name: 'Ada L' } });
    await app.call('POST', '/auth/password', {
      cookie,
      body: { current_password: password, new_password: 'a new password' },
    });
    await app.call('POST', '/auth/logout', { cookie });
    const entries = await audit();
    const actions = entries.map(({ action }) => action);
    expect(actions.sort()).toEqual(['auth.login', 'auth.logout', 'auth.password', 'auth.signup', 'auth.update_me']);
    expect(actions.every((action) => allRoutes.some(({ id }) => id === action))).toBe(true);
    for (const entry of entries)
      expect(entry).toMatchObject({
        actor_type: 'user',
        actor_id: data.user.id,
        resource_id: data.user.id,
        ip: '192.0.2.1',
      });
    expect(entries.find(({ action }) => action === 'auth.signup')?.workspace_id).toBe(data.workspace.id);
  });

  it('writes passwords and cookies neither to the log nor to any table', async () => {
    const canary = 'canary-2f9c password';
    const first = await signUp({ password: canary });
    await logIn({ password: `${canary} wrong` });
    const second = await logIn({ password: canary });
    await app.call('POST', '/auth/password', {
      cookie: second.cookie,
      body: { current_password: canary, new_password: `${canary} new` },
    });
    await app.call('POST', '/auth/password', {
      cookie: second.cookie,
      body: { current_password: canary, new_password: 1 },
    });
    const everything = [
      ...lines,
      JSON.stringify(await audit()),
      JSON.stringify(await database.db.selectFrom('users').selectAll().execute()),
      JSON.stringify(await database.db.selectFrom('sessions').selectAll().execute()),
      JSON.stringify(await database.db.selectFrom('attempts').selectAll().execute()),
    ].join('\n');
    expect(everything).not.toContain('canary-2f9c');
    for (const cookie of [first.cookie, second.cookie]) expect(everything).not.toContain(cookie?.split('=')[1]);
    expect(everything).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
  });
});
