import { builtInRoles } from '@fanion/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../platform/log.ts';
import { startTestApp, type TestAnswer, type TestApp, type TestRequest, testClock } from '../../../testing/test-app.ts';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import {
  acquaint,
  giveRole,
  keepingMailer,
  type Person,
  peopleFeatures,
  personPassword,
  signUpPerson,
} from '../../../testing/test-people.ts';
import { defaultLimits } from '../auth/index.ts';

const day = 86_400_000;

describe.each(testStores)('invitations on %s', (_name, startStore) => {
  let store: TestStore;
  let database: TestDatabase;
  let app: TestApp;
  let clock: ReturnType<typeof testClock>;
  let mailer: ReturnType<typeof keepingMailer>;
  let owner: Person;
  let ws: string;
  const lines: string[] = [];

  beforeAll(async () => {
    store = await startStore();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    database = await store.fresh();
    clock = testClock();
    mailer = keepingMailer();
    lines.length = 0;
    app = await startTestApp({
      db: database.db,
      clock,
      log: createLog('trace', { write: (line: string) => void lines.push(line) }),
      features: peopleFeatures({ mailer }),
    });
    owner = await signUpPerson(app, 'owner');
    ws = `/workspaces/${owner.workspaceId}`;
  });
  afterEach(async () => {
    await app.close();
    await database.close();
  });

  const invite = (email: string, role = 'editor', by = owner) => by.call('POST', `${ws}/invitations`, { email, role });
  async function tokenFor(email: string, role = 'editor', by = owner): Promise<string> {
    const answer = await invite(email, role, by);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.data.url.split('/').at(-1);
  }
  const read = (token: string) => app.call('GET', `/invitations/${token}`);
  const accept = (token: string, body?: unknown, request: TestRequest = {}) =>
    app.call('POST', `/invitations/${token}/accept`, { ...(body !== undefined && { body }), ...request });
  const account = { name: 'Ada', password: personPassword };
  const deviceOf = ({ setCookies }: TestAnswer) =>
    setCookies.find((line) => line.startsWith('svc_device='))?.split(';')[0] ?? '';
  async function colleague(name: string): Promise<Person> {
    const person = await signUpPerson(app, name);
    await acquaint(database.db, owner, person);
    return person;
  }
  const members = async () =>
    (await owner.call('GET', `${ws}/members`)).data as { email: string; role: { key: string } }[];
  const gone = { status: 404, error: { code: 'SVC-2009' } };

  it('are sent by mail and as a link, which shows the workspace and the role', async () => {
    const answer = await invite('ADA@example.com');
    expect(answer).toMatchObject({
      status: 201,
      data: { email: 'ada@example.com', role: { key: 'editor' }, invited_by: 'owner', status: 'pending', mailed: true },
    });
    expect(answer.data.url).toMatch(/^http:\/\/fanion\.test\/invitations\/[\w-]{43}$/);
    expect(mailer.mails).toHaveLength(1);
    expect(mailer.mails[0]).toMatchObject({
      to: 'ada@example.com',
      subject: 'owner invites you to owner workspace on Fanion',
    });
    expect(mailer.mails[0]?.text).toContain(answer.data.url);
    expect(await read(answer.data.url.split('/').at(-1))).toMatchObject({
      status: 200,
      data: {
        workspace: { name: 'owner workspace' },
        email: 'ada@example.com',
        role: 'Editor',
        invited_by: 'owner',
        account_exists: false,
        expires_at: new Date(clock.now() + 7 * day).toISOString(),
      },
    });
  });

  it('show the link when there is no mail server, or when it rejected the mail', async () => {
    for (const outcome of ['written', 'failed'] as const) {
      const other = await startTestApp({
        db: database.db,
        clock,
        features: peopleFeatures({ mailer: keepingMailer(outcome) }),
      });
      const answer = await other.call('POST', `${ws}/invitations`, {
        cookie: owner.cookie,
        body: { email: 'a@example.com', role: 'viewer' },
      });
      expect(answer).toMatchObject({
        status: 201,
        data: { mailed: false, url: expect.stringContaining('/invitations/') },
      });
      await other.close();
    }
  });

  it('use the configured address in the link, whatever the Host header says', async () => {
    const baseUrl = 'https://fanion.example';
    const other = await startTestApp({
      db: database.db,
      clock,
      baseUrl,
      features: peopleFeatures({ mailer, baseUrl }),
    });
    const answer = await other.call('POST', `${ws}/invitations`, {
      cookie: owner.cookie,
      headers: { host: 'localhost', 'x-forwarded-host': 'evil.example' },
      body: { email: 'a@example.com', role: 'viewer' },
    });
    expect(answer.data.url).toMatch(/^https:\/\/fanion\.example\/invitations\//);
    await other.close();
  });

  describe('when accepted', () => {
    it('create the account if there is none, sign in, and add the member', async () => {
      const answer = await accept(await tokenFor('ada@example.com'), account);
      expect(answer).toMatchObject({
        status: 200,
        data: { user: { email: 'ada@example.com', name: 'Ada' }, workspace: { id: owner.workspaceId } },
      });
      expect(answer.setCookies[0]).toMatch(/^svc_session=[\w-]{43}; .*HttpOnly/);
      const me = await app.call('GET', '/auth/me', { cookie: answer.cookie });
      expect(me.data.workspaces).toMatchObject([{ id: owner.workspaceId, role: 'editor' }]);
      expect(await members()).toHaveLength(2);
      expect(
        (await app.call('POST', '/auth/login', { body: { email: 'ada@example.com', password: personPassword } }))
          .status,
      ).toBe(200);
      expect((await owner.call('GET', `${ws}/invitations`)).data).toMatchObject([
        { email: 'ada@example.com', status: 'accepted' },
      ]);
    });

    it('make the device known, which strangers cannot lock out, and keep the accounts that it knew', async () => {
      const knownBefore = deviceOf(
        await app.call('POST', '/auth/login', { body: { email: owner.email, password: personPassword } }),
      );
      const device = deviceOf(
        await accept(await tokenFor('ada@example.com'), account, { headers: { cookie: knownBefore } }),
      );
      const logIn = (email: string, password: string, cookie?: string) =>
        app.call('POST', '/auth/login', { body: { email, password }, ...(cookie && { headers: { cookie } }) });
      for (const email of ['ada@example.com', owner.email]) {
        for (let n = 0; n < defaultLimits.loginAccountAddress.attempts; n++) await logIn(email, 'a guess');
        expect((await logIn(email, personPassword)).status).toBe(429);
        expect((await logIn(email, personPassword, device)).status).toBe(200);
      }
    });

    it('by a person signed in with the address need nothing more, and keep the session', async () => {
      const ada = await signUpPerson(app, 'ada');
      const token = await tokenFor(ada.email);
      expect((await read(token)).data.account_exists).toBe(true);
      const answer = await accept(token, undefined, { cookie: ada.cookie });
      expect(answer).toMatchObject({ status: 200, setCookies: [] });
      expect((await ada.call('GET', '/auth/me')).data.workspaces).toHaveLength(2);
    });

    it('by somebody else are rejected, and stay pending', async () => {
      const token = await tokenFor('ada@example.com');
      const eve = await signUpPerson(app, 'eve');
      expect(await accept(token, undefined, { cookie: eve.cookie })).toMatchObject({
        status: 403,
        error: { code: 'SVC-2010' },
      });
      expect(await accept(token, account, { cookie: eve.cookie })).toMatchObject({
        status: 403,
        error: { code: 'SVC-2010' },
      });
      expect(await accept(token)).toMatchObject({ status: 401, error: { code: 'SVC-2001' } });
      expect(await accept(token, { name: 'Ada' })).toMatchObject({ status: 401 });
      expect(await accept(token, { ...account, role: 'owner' })).toMatchObject({ status: 422 });
      expect((await read(token)).status).toBe(200);
    });

    it('with a name and a password never give access to an existing account', async () => {
      const ada = await signUpPerson(app, 'ada');
      const token = await tokenFor(ada.email);
      const answer = await accept(token, { name: 'Eve', password: 'eves own password' });
      expect(answer).toMatchObject({ status: 409, error: { code: 'SVC-2005' }, cookie: undefined });
      expect(
        (await app.call('POST', '/auth/login', { body: { email: ada.email, password: personPassword } })).status,
      ).toBe(200);
    });

    it('from another site change nothing', async () => {
      const ada = await signUpPerson(app, 'ada');
      const token = await tokenFor(ada.email);
      const headers = { origin: 'https://evil.example' };
      expect((await accept(token, undefined, { cookie: ada.cookie, headers })).error?.code).toBe('SVC-3001');
      expect((await accept(token, account, { headers })).error?.code).toBe('SVC-3001');
    });

    it('50 times at the same moment add one member', async () => {
      const token = await tokenFor('ada@example.com');
      const answers = await Promise.all(Array.from({ length: 50 }, () => accept(token, account)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(new Set(answers.filter(({ status }) => status !== 200).map(({ status }) => status))).toEqual(
        new Set([404]),
      );
      expect(await members()).toHaveLength(2);
      expect(await database.db.selectFrom('sessions').select('user_id').execute()).toHaveLength(2);
      const entries = await database.db
        .selectFrom('audit_entries')
        .select('id')
        .where('action', '=', 'invitations.accept')
        .execute();
      expect(entries).toHaveLength(1);
      expect(await read(token)).toMatchObject(gone);
    });

    it('50 times at the same moment by a signed-in person add one member', async () => {
      const ada = await signUpPerson(app, 'ada');
      const token = await tokenFor(ada.email);
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => accept(token, undefined, { cookie: ada.cookie })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 404)).toHaveLength(49);
      expect(await members()).toHaveLength(2);
    });

    it('by a person who has become a member meanwhile do not change the role', async () => {
      const ada = await colleague('ada');
      const token = await tokenFor(ada.email, 'admin');
      await owner.call('POST', `${ws}/members`, { email: ada.email, role: 'viewer' });
      expect((await accept(token, undefined, { cookie: ada.cookie })).status).toBe(200);
      expect((await members()).find(({ email }) => email === ada.email)?.role.key).toBe('viewer');
    });
  });

  describe('that are void', () => {
    it('include those withdrawn, expired, replaced, used, mistyped, or of a removed workspace', async () => {
      const withdrawn = await invite('a@example.com');
      expect((await owner.call('DELETE', `${ws}/invitations/${withdrawn.data.id}`)).status).toBe(204);
      const replaced = await tokenFor('b@example.com');
      await tokenFor('b@example.com', 'viewer');
      const used = await tokenFor('c@example.com');
      await accept(used, account);
      const expired = await tokenFor('d@example.com');
      clock.advance(4 * day);
      expect((await read(expired)).status).toBe(200);
      await owner.call('GET', '/auth/me');
      clock.advance(3 * day);
      const late = await tokenFor('e@example.com');
      await database.db
        .updateTable('workspaces')
        .set({ deleted_at: new Date() })
        .where('id', '=', owner.workspaceId)
        .execute();
      const tokens = [
        withdrawn.data.url.split('/').at(-1),
        replaced,
        used,
        expired,
        late,
        `${late}x`,
        'x',
        late.toLowerCase(),
      ];
      for (const token of tokens) {
        expect(await read(token)).toMatchObject(gone);
        expect(await accept(token, { name: 'X', password: personPassword })).toMatchObject(gone);
      }
      expect(await database.db.selectFrom('users').select('email').orderBy('email').execute()).toEqual([
        { email: 'c@example.com' },
        { email: 'owner@example.com' },
      ]);
    });

    it('include those of a sender who left, or who may no longer send them', async () => {
      const admin = await colleague('admin');
      const added = await owner.call('POST', `${ws}/members`, { email: admin.email, role: 'admin' });
      const first = await tokenFor('a@example.com', 'admin', admin);
      await owner.call('POST', `${ws}/members`, { email: admin.email, role: 'viewer' });
      expect(await accept(first, account)).toMatchObject(gone);
      await owner.call('POST', `${ws}/members`, { email: admin.email, role: 'admin' });
      expect((await accept(first, account)).status).toBe(200);
      const second = await tokenFor('b@example.com', 'viewer', admin);
      await owner.call('DELETE', `${ws}/members/${added.data.id}`);
      expect(await accept(second, account)).toMatchObject(gone);
    });

    it('are listed as expired, page by page', async () => {
      await invite('a@example.com');
      clock.advance(8 * day);
      // The session of the owner has ended meanwhile.
      const { cookie } = await app.call('POST', '/auth/login', {
        body: { email: owner.email, password: personPassword },
      });
      await app.call('POST', `${ws}/invitations`, { cookie, body: { email: 'b@example.com', role: 'viewer' } });
      const first = await app.call('GET', `${ws}/invitations?limit=1`, { cookie });
      expect(first.data).toMatchObject([{ email: 'a@example.com', status: 'expired' }]);
      const { next_cursor } = JSON.parse(first.text).meta;
      const second = await app.call('GET', `${ws}/invitations?limit=1&cursor=${next_cursor}`, { cookie });
      expect(second.data).toMatchObject([{ email: 'b@example.com', status: 'pending' }]);
      expect(first.text + second.text).not.toContain('/invitations/');
    });
  });

  it('cannot give more than the sender has, nor be sent to a member', async () => {
    const admin = await colleague('admin');
    await owner.call('POST', `${ws}/members`, { email: admin.email, role: 'admin' });
    const strong = await giveRole(database.db, {
      workspaceId: owner.workspaceId,
      name: 'Strong',
      permissions: builtInRoles.owner.permissions,
    });
    for (const role of ['owner', strong])
      expect((await invite('x@example.com', role, admin)).error?.code).toBe('SVC-3007');
    expect((await invite(owner.email, 'viewer', admin)).error?.code).toBe('SVC-6004');
    expect((await invite('x@example.com', 'king', admin)).error?.code).toBe('SVC-6001');
    const viewer = await colleague('viewer');
    await owner.call('POST', `${ws}/members`, { email: viewer.email, role: 'viewer' });
    expect((await invite('x@example.com', 'viewer', viewer)).error?.message).toBe(
      'permission denied: members:write required',
    );
    expect(mailer.mails).toEqual([]);
  });

  it('of another workspace return 404', async () => {
    const { data } = await invite('a@example.com');
    const stranger = await signUpPerson(app, 'stranger');
    for (const path of [`${ws}/invitations/${data.id}`, `/workspaces/${stranger.workspaceId}/invitations/${data.id}`])
      expect(await stranger.call('DELETE', path)).toMatchObject({ status: 404, error: { code: 'SVC-6001' } });
    expect((await owner.call('DELETE', `${ws}/invitations/x`)).status).toBe(404);
    expect((await read(data.url.split('/').at(-1))).status).toBe(200);
  });

  it('never store their token in the database, the log or the audit log', async () => {
    const token = await tokenFor('ada@example.com');
    await read(token);
    await accept(token, { name: 'Ada', password: 'canary-77 password' });
    await accept(token, { name: 'Ada', password: 'canary-77 password' });
    const rows = JSON.stringify([
      await database.db.selectFrom('invitations').selectAll().execute(),
      await database.db.selectFrom('audit_entries').selectAll().execute(),
      await database.db.selectFrom('idempotency_keys').selectAll().execute(),
    ]);
    for (const secret of [token, 'canary-77']) {
      expect(rows).not.toContain(secret);
      expect(lines.join('')).not.toContain(secret);
    }
    const actions = (await database.db.selectFrom('audit_entries').select('action').orderBy('id').execute()).map(
      ({ action }) => action,
    );
    expect(actions.sort()).toEqual(['auth.signup', 'invitations.accept', 'invitations.create']);
  });
});
