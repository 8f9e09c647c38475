import { describe, expect, it } from 'vitest';
import { testStores } from '../../../../testing/test-database.ts';
import { refused, setUpOidc } from '../../../../testing/test-oidc.ts';
import { personPassword, signUpPerson } from '../../../../testing/test-people.ts';
import { defaultLimits } from '../index.ts';

describe.each(testStores)('the account behind an identity on %s', (_name, startStore) => {
  const t = setUpOidc(startStore);

  describe('a new person', () => {
    it('gets an account, a workspace and a session, and returns to the page where sign-in began', async () => {
      const answer = await t.signIn('ada', { query: '?return_to=%2Fw%2Facme%3Ftab%3Dflags' });
      expect(answer).toMatchObject({ status: 302, headers: { location: '/w/acme?tab=flags' } });
      expect(answer.setCookies[0]).toMatch(/^svc_session=[\w-]{43}; .*HttpOnly; SameSite=Lax/);
      expect(await t.me(answer.cookie)).toMatchObject({
        user: { email: 'ada@example.com', name: 'Ada Lovelace', has_password: false },
        workspaces: [{ name: "Ada Lovelace's workspace", role: 'owner' }],
      });
      const entries = await t.database.db.selectFrom('audit_entries').selectAll().execute();
      expect(entries).toMatchObject([
        { action: 'auth.oidc_callback', actor_type: 'user', resource_name: 'ada@example.com' },
      ]);
    });

    it('keeps the same account the next time, also with another address', async () => {
      const first = await t.me((await t.signIn()).cookie);
      t.acme.accounts.set('ada', { email: 'countess@example.com', email_verified: false });
      const second = await t.me((await t.signIn()).cookie);
      expect(second.user).toEqual(first.user);
      expect(await t.database.db.selectFrom('identities').selectAll().execute()).toMatchObject([
        { issuer: t.acme.issuer, subject: 'ada', user_id: first.user.id },
      ]);
    });

    it('cannot log in with a password', async () => {
      await t.signIn();
      for (const password of ['', 'null', 'undefined'])
        expect((await t.app.call('POST', '/auth/login', { body: { email: 'ada@example.com', password } })).status).toBe(
          401,
        );
    });

    it('gets one account when signing in from two tabs at once', async () => {
      const flows = await Promise.all([t.begin(), t.begin()]);
      const backs = await Promise.all(flows.map(({ location }) => t.acme.authorize(location.href, 'ada')));
      const answers = await Promise.all(backs.map((back, n) => t.finish(back, flows[n]?.cookie)));
      expect(answers.map(({ status }) => status)).toEqual([302, 302]);
      expect(await t.database.db.selectFrom('users').select('id').execute()).toHaveLength(1);
      expect(await t.database.db.selectFrom('workspaces').select('id').execute()).toHaveLength(1);
    });

    it.each([
      ['an address that is not verified', { email: 'ada@example.com', email_verified: false }],
      ['an address of which nothing is said', { email: 'ada@example.com' }],
      ['a word that is not true', { email: 'ada@example.com', email_verified: 'yes' }],
      ['no address', { email_verified: true }],
      ['what is no address', { email: 'ada', email_verified: true }],
    ])('is rejected with %s', async (_what, account) => {
      t.acme.accounts.set('ada', account);
      expect(await t.signIn()).toMatchObject(refused(/no e-mail address that it has verified/));
      expect(await t.database.db.selectFrom('users').select('id').execute()).toEqual([]);
    });
  });

  describe('an address that an account already has', () => {
    it('gives no access by itself, whoever created the account', async () => {
      const ada = await signUpPerson(t.app, 'ada');
      expect(await t.signIn()).toMatchObject(refused(/log in with its password first/));
      expect(await t.database.db.selectFrom('identities').selectAll().execute()).toEqual([]);
      expect((await ada.call('GET', '/auth/me')).status).toBe(200);
    });

    it('is connected to the account that is signed in with it, and signs in from then on', async () => {
      const ada = await signUpPerson(t.app, 'ada');
      const connected = await t.signIn('ada', { session: ada.cookie });
      expect(connected.status).toBe(302);
      expect((await t.me(connected.cookie)).user.id).toBe(ada.userId);
      // The session was rotated.
      expect((await ada.call('GET', '/auth/me')).status).toBe(401);
      expect((await t.me((await t.signIn()).cookie)).user.id).toBe(ada.userId);
      expect(
        (await t.app.call('POST', '/auth/login', { body: { email: ada.email, password: personPassword } })).status,
      ).toBe(200);
    });

    it('is known on a device that it signed in on, which strangers cannot lock out', async () => {
      const ada = await signUpPerson(t.app, 'ada');
      const device = (await t.signIn('ada', { session: ada.cookie })).setCookies.filter((line) =>
        line.startsWith('svc_device='),
      );
      expect(device.map((line) => /Path=([^;]+); HttpOnly; SameSite=(\w+)/.exec(line)?.slice(1))).toEqual([
        ['/api/v1/auth', 'Lax'],
        ['/api/v1/invitations', 'Lax'],
      ]);
      const logIn = (password: string, cookie?: string) =>
        t.app.call('POST', '/auth/login', {
          body: { email: ada.email, password },
          ...(cookie && { headers: { cookie } }),
        });
      const { attempts } = defaultLimits.loginAccountAddress;
      for (let n = 0; n < attempts; n++) await logIn('a guess');
      expect((await logIn(personPassword)).status).toBe(429);
      expect((await logIn(personPassword, device[0]?.split(';')[0])).status).toBe(200);
    });

    it('is not connected to another account that is signed in', async () => {
      await signUpPerson(t.app, 'ada');
      const eve = await signUpPerson(t.app, 'eve');
      expect(await t.signIn('ada', { session: eve.cookie })).toMatchObject(refused(/log in with its password first/));
      // Nor is a new identity connected to the account that happens to be signed in.
      t.acme.accounts.set('bob', { email: 'bob@example.com', email_verified: true });
      const bob = await t.signIn('bob', { session: eve.cookie });
      expect((await t.me(bob.cookie)).user.email).toBe('bob@example.com');
      expect(await t.database.db.selectFrom('identities').select('subject').execute()).toEqual([{ subject: 'bob' }]);
    });
  });

  describe('on a server with sign-up by invitation', () => {
    const invited = async (role: 'editor' | 'viewer' = 'viewer') => {
      const owner = await signUpPerson(t.app, 'owner');
      const { id } = await t.database.db
        .selectFrom('roles')
        .select('id')
        .where('key', '=', role)
        .executeTakeFirstOrThrow();
      return { owner, roleId: id };
    };

    it('creates no account for a person without an invitation', async () => {
      await t.restart({ signup: 'invite' });
      expect(await t.signIn()).toMatchObject(refused(/by invitation only/));
      await signUpPerson(t.app, 'owner');
      expect(await t.signIn()).toMatchObject(refused(/by invitation only/));
    });

    it('creates an account without a workspace for an invited person, who still has to accept', async () => {
      await t.restart({ signup: 'invite' });
      const { owner, roleId } = await invited();
      await t.database.db
        .insertInto('invitations')
        .values({
          id: owner.userId,
          workspace_id: owner.workspaceId,
          email: 'ada@example.com',
          role_id: roleId,
          token_hash: Buffer.from('x'),
          invited_by: owner.userId,
          expires_at: new Date(t.clock.now() + 60_000),
        })
        .execute();
      const answer = await t.signIn();
      expect(await t.me(answer.cookie)).toMatchObject({ user: { email: 'ada@example.com' }, workspaces: [] });
    });

    it('adds a person as a member when the configuration names a role', async () => {
      await t.restart({
        signup: 'invite',
        workspace: 'owner-workspace',
        groupRoles: new Map([
          ['ops', 'admin'],
          ['devs', 'Editor'],
        ]),
      });
      const { owner } = await invited();
      expect(await t.signIn()).toMatchObject(refused(/by invitation only/));
      t.acme.accounts.set('ada', { email: 'ada@example.com', email_verified: true, groups: ['devs', 'unknown'] });
      expect(await t.me((await t.signIn()).cookie)).toMatchObject({
        workspaces: [{ id: owner.workspaceId, role: 'editor' }],
      });
      // Groups are applied at each sign-in, in the order of the configuration. A person in none of them keeps the role.
      t.acme.accounts.set('ada', { email: 'ada@example.com', email_verified: true, groups: ['devs', 'ops'] });
      expect(await t.me((await t.signIn()).cookie)).toMatchObject({ workspaces: [{ role: 'admin' }] });
      t.acme.accounts.set('ada', { email: 'ada@example.com', email_verified: true, groups: [] });
      expect(await t.me((await t.signIn()).cookie)).toMatchObject({ workspaces: [{ role: 'admin' }] });
    });

    it('the default role adds members and does not change existing ones', async () => {
      await t.restart({ signup: 'invite', workspace: 'owner-workspace', defaultRole: 'viewer' });
      const { owner } = await invited();
      const answer = await t.signIn();
      expect(await t.me(answer.cookie)).toMatchObject({ workspaces: [{ role: 'viewer' }] });
      const { id } = await t.database.db
        .selectFrom('roles')
        .select('id')
        .where('key', '=', 'editor')
        .executeTakeFirstOrThrow();
      await t.database.db.updateTable('members').set({ role_id: id }).where('user_id', '<>', owner.userId).execute();
      expect(await t.me((await t.signIn()).cookie)).toMatchObject({ workspaces: [{ role: 'editor' }] });
    });

    it('the last owner remains owner, whatever the groups say', async () => {
      await t.restart({ signup: 'invite', workspace: 'owner-workspace', groupRoles: new Map([['devs', 'viewer']]) });
      const { owner } = await invited();
      t.acme.accounts.set('boss', { email: owner.email, email_verified: true, groups: ['devs'] });
      const answer = await t.signIn('boss', { session: owner.cookie });
      expect(await t.me(answer.cookie)).toMatchObject({ user: { id: owner.userId }, workspaces: [{ role: 'owner' }] });
    });

    it('logs a configuration that names something unknown, and gives nothing', async () => {
      await t.restart({ signup: 'invite', workspace: 'owner-workspace', defaultRole: 'king' });
      await invited();
      expect(await t.signIn()).toMatchObject(refused(/by invitation only/));
      expect(t.lines.join('')).toContain('names a workspace or a role that does not exist');
    });
  });
});
