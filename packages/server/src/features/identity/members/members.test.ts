import { builtInRoles } from '@fanion/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../platform/ids.ts';
import { startTestApp, type TestApp, testClock } from '../../../testing/test-app.ts';
import { recordStatements, type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import {
  acquaint,
  giveRole,
  giveToken,
  keepingMailer,
  type Person,
  peopleFeatures,
  signUpPerson,
} from '../../../testing/test-people.ts';

describe.each(testStores)('members on %s', (_name, startStore) => {
  let store: TestStore;
  let database: TestDatabase;
  let app: TestApp;
  let owner: Person;
  let ws: string;

  beforeAll(async () => {
    store = await startStore();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    database = await store.fresh();
    app = await startTestApp({ db: database.db, features: peopleFeatures() });
    owner = await signUpPerson(app, 'owner');
    ws = `/workspaces/${owner.workspaceId}`;
  });
  afterEach(async () => {
    await app.close();
    await database.close();
  });

  /** An account with which the owner shares another workspace. */
  async function colleague(name: string): Promise<Person> {
    const person = await signUpPerson(app, name);
    await acquaint(database.db, owner, person);
    return person;
  }

  /** An account that is a member of the owner's workspace. */
  async function join(name: string, role: string): Promise<Person & { memberId: string }> {
    const person = await colleague(name);
    const added = await owner.call('POST', `${ws}/members`, { email: person.email, role });
    if (added.status !== 201) throw new Error(added.text);
    return { ...person, memberId: added.data.id };
  }
  const add = (by: Person, email: string, role: string) => by.call('POST', `${ws}/members`, { email, role });
  const remove = (by: Person, id: string) => by.call('DELETE', `${ws}/members/${id}`);
  const list = async (by: Person, query = '') => (await by.call('GET', `${ws}/members${query}`)).data;
  const memberIdOf = async (person: Person): Promise<string> =>
    (await list(owner)).find((member: { user_id: string }) => member.user_id === person.userId).id;
  const permissionsOf = async (person: Person): Promise<string[]> => {
    const { data } = await person.call('GET', '/auth/me');
    return data.workspaces.find((workspace: { id: string }) => workspace.id === owner.workspaceId)?.permissions ?? [];
  };
  const actions = async () =>
    (await database.db.selectFrom('audit_entries').select('action').orderBy('id').execute()).map(
      ({ action }) => action,
    );

  it('are added by e-mail address, with a role by key or id, and listed', async () => {
    const ada = await colleague('ada');
    const added = await add(owner, 'ADA@example.com', 'editor');
    expect(added).toMatchObject({
      status: 201,
      data: { user_id: ada.userId, email: ada.email, role: { key: 'editor', name: 'Editor' } },
    });
    expect(await permissionsOf(ada)).toContain('flags:write');
    const custom = await giveRole(database.db, {
      workspaceId: owner.workspaceId,
      name: 'Auditor',
      permissions: ['audit:read'],
    });
    expect((await add(owner, ada.email, custom)).data).toMatchObject({
      id: added.data.id,
      role: { key: null, name: 'Auditor' },
    });
    expect(await permissionsOf(ada)).toEqual(['audit:read']);
    expect((await list(owner)).map(({ email }: { email: string }) => email)).toEqual([owner.email, ada.email]);
    expect(await list(owner, '?search=AD')).toHaveLength(1);
    expect(await list(owner, '?search=%25')).toEqual([]);
    expect((await actions()).filter((action) => action === 'members.add')).toHaveLength(2);
  });

  describe('who share no workspace with the caller', () => {
    const own = async (by: Person) => (await by.call('GET', '/auth/invitations')).data;
    const withoutIds = (text: string) =>
      text.replace(/"(id|request_id)":"[^"]*"/g, '').replace(/stranger|nobody/g, 'x');

    it('are invited, and the response is the same when there is no such account', async () => {
      await signUpPerson(app, 'stranger');
      const asked = await add(owner, 'stranger@example.com', 'viewer');
      const unknown = await add(owner, 'nobody@example.com', 'viewer');
      expect([asked.status, unknown.status]).toEqual([202, 202]);
      const withoutTimes = (text: string) => withoutIds(text).replace(/"\d{4}-[^"]*Z"/g, '');
      expect(withoutTimes(asked.text)).toBe(withoutTimes(unknown.text));
      const listed = (await owner.call('GET', `${ws}/invitations`)).data.map(
        ({ email, status }: { email: string; status: string }) => [email, status],
      );
      expect(listed).toEqual([
        ['stranger@example.com', 'pending'],
        ['nobody@example.com', 'pending'],
      ]);
      expect(await list(owner)).toHaveLength(1);
    });

    it('cost the same work as an address without an account, the first time and while they wait', async () => {
      const { db, statements } = recordStatements(database.db);
      const mailer = keepingMailer();
      const watched = await startTestApp({ db, features: peopleFeatures({ mailer }), clock: testClock() });
      await signUpPerson(watched, 'stranger');
      const secrets = (text: string) => text.replace(/nonce-\w+|invitations\/[\w-]{43}|stranger|unheard0/g, 'x');
      /** What the caller and the outside see of one request, without what differs in any two, and the work that it is. */
      const ask = async (name: 'stranger' | 'unheard0') => {
        // From then on the server remembers who the caller is.
        await watched.call('GET', `${ws}/members`, { cookie: owner.cookie });
        statements.length = 0;
        mailer.mails.length = 0;
        const { status, headers, data, error } = await watched.call('POST', `${ws}/members`, {
          body: { email: `${name}@example.com`, role: 'viewer' },
          cookie: owner.cookie,
        });
        const {
          'x-ratelimit-remaining': _,
          'x-ratelimit-reset': __,
          'x-request-id': ___,
          date: ____,
          ...kept
        } = headers;
        const seen = { headers: kept, data: { ...data, id: 'x' }, error, mails: mailer.mails };
        return { status, statements: [...statements], seen: secrets(JSON.stringify(seen)) };
      };
      for (const time of ['the first time', 'while they wait']) {
        const account = await ask('stranger');
        expect(await ask('unheard0'), time).toEqual(account);
        expect(account.status).toBe(202);
        expect(account.statements.length).toBeGreaterThan(10);
        expect(account.seen).toContain('invites you');
      }
      await watched.close();
    });

    it('become members when they accept, once, and not before', async () => {
      const ada = await signUpPerson(app, 'ada');
      const eve = await signUpPerson(app, 'eve');
      const { data } = await add(owner, ada.email, 'editor');
      expect((await ada.call('GET', `${ws}/members`)).status).toBe(404);
      expect(await own(ada)).toMatchObject([
        { id: data.id, workspace: { id: owner.workspaceId }, role: { key: 'editor' } },
      ]);
      expect(await own(eve)).toEqual([]);
      const accept = (by: Person) => by.call('POST', `/auth/invitations/${data.id}/accept`);
      expect((await accept(eve)).error?.code).toBe('SVC-2009');
      const answers = await Promise.all(Array.from({ length: 10 }, () => accept(ada)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await permissionsOf(ada)).toContain('flags:write');
      expect(await own(ada)).toEqual([]);
      expect((await actions()).filter((action) => action === 'invitations.accept_own')).toHaveLength(1);
      // Now they share a workspace.
      expect((await add(owner, ada.email, 'viewer')).status).toBe(201);
    });

    it('may decline, and may be invited again', async () => {
      const ada = await signUpPerson(app, 'ada');
      const { data } = await add(owner, ada.email, 'editor');
      expect((await ada.call('DELETE', `/auth/invitations/${data.id}`)).status).toBe(204);
      expect((await ada.call('POST', `/auth/invitations/${data.id}/accept`)).error?.code).toBe('SVC-2009');
      expect((await add(owner, ada.email, 'viewer')).status).toBe(202);
      expect(await own(ada)).toHaveLength(1);
    });

    it('need the mailed link for an invitation that is older than their account', async () => {
      await add(owner, 'late@example.com', 'admin');
      const late = await signUpPerson(app, 'late');
      expect(await own(late)).toEqual([]);
    });

    it('do not become members when the inviter may no longer add them', async () => {
      const admin = await join('admin', 'admin');
      const ada = await signUpPerson(app, 'ada');
      const { data } = await add(admin, ada.email, 'admin');
      expect((await add(owner, admin.email, 'viewer')).status).toBe(201);
      expect((await ada.call('POST', `/auth/invitations/${data.id}/accept`)).error?.code).toBe('SVC-2009');
    });
  });

  it('get a list of their workspaces when they name none', async () => {
    const ada = await join('ada', 'editor');
    const answer = await ada.call('GET', '/auth/me');
    const slugs = answer.data.workspaces.map(({ slug }: { slug: string }) => slug).sort();
    const ambiguous = await app.access
      .scope(
        { kind: 'session', user: { id: ada.userId, email: ada.email, name: 'ada' }, sessionHash: Buffer.alloc(32) },
        {},
      )
      .catch((error: Error) => error.message);
    expect(ambiguous).toBe(`you are a member of several workspaces: add ?workspace= with one of ${slugs.join(', ')}`);
  });

  it('are listed page by page', async () => {
    for (const name of ['a', 'b', 'c']) await join(name, 'viewer');
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 4; pages++) {
      const answer = await owner.call('GET', `${ws}/members?limit=1${cursor}`);
      seen.push(...answer.data.map(({ name }: { name: string }) => name));
      const { next_cursor } = JSON.parse(answer.text).meta;
      cursor = `&cursor=${next_cursor}`;
      expect(next_cursor === null).toBe(pages === 3);
    }
    expect(seen).toEqual(['owner', 'a', 'b', 'c']);
    expect((await owner.call('GET', `${ws}/members?cursor=bm9wZQ`)).error?.code).toBe('SVC-1009');
  });

  it('need a known account and a role of this workspace', async () => {
    const ada = await colleague('ada');
    const foreign = await database.db
      .selectFrom('roles')
      .select('id')
      .where('workspace_id', '=', ada.workspaceId)
      .executeTakeFirstOrThrow();
    for (const role of ['king', newId(), foreign.id])
      expect(await add(owner, ada.email, role)).toMatchObject({ status: 404, error: { code: 'SVC-6001' } });
    expect(await add(owner, ada.email, 'a\0b')).toMatchObject({ status: 422, error: { code: 'SVC-1002' } });
  });

  it('of another workspace return 404', async () => {
    const stranger = await signUpPerson(app, 'stranger');
    const id = await memberIdOf(owner);
    const elsewhere = `/workspaces/${stranger.workspaceId}/members/${id}`;
    for (const [method, path, body] of [
      ['GET', `${ws}/members`, undefined],
      ['POST', `${ws}/members`, { email: 'a@example.com', role: 'viewer' }],
      ['DELETE', elsewhere, undefined],
      ['GET', `${elsewhere}/grants`, undefined],
      ['PUT', `${elsewhere}/grants`, { grants: [] }],
      ['DELETE', `${ws}/members/${id}`, undefined],
      ['DELETE', `/workspaces/${stranger.workspaceId}/members/not-an-id`, undefined],
    ] as const)
      expect(await stranger.call(method, path, body)).toMatchObject({ status: 404, error: { code: 'SVC-6001' } });
  });

  describe('without the permission to', () => {
    it('change members, cannot change them', async () => {
      const viewer = await join('viewer', 'viewer');
      for (const answer of [await add(viewer, owner.email, 'viewer'), await remove(viewer, viewer.memberId)])
        expect(answer).toMatchObject({ status: 403, error: { message: 'permission denied: members:write required' } });
    });

    it('do what a role allows, cannot give that role to others or to themselves', async () => {
      const admin = await join('admin', 'admin');
      const ada = await colleague('ada');
      const bypass = await giveRole(database.db, {
        workspaceId: owner.workspaceId,
        name: 'Bypass',
        permissions: ['flags:bypass_approval'],
      });
      for (const email of [ada.email, admin.email])
        for (const role of ['owner', bypass])
          expect(await add(admin, email, role)).toMatchObject({ status: 403, error: { code: 'SVC-3007' } });
      expect((await add(admin, ada.email, 'admin')).status).toBe(202);
    });

    it('own the workspace, cannot add, demote or remove an owner, even with all permissions', async () => {
      const all = await giveRole(database.db, {
        workspaceId: owner.workspaceId,
        name: 'All',
        permissions: builtInRoles.owner.permissions,
      });
      const almost = await join('almost', all);
      const second = await join('second', 'owner');
      expect((await add(almost, almost.email, 'owner')).error?.code).toBe('SVC-3007');
      expect((await add(almost, second.email, 'viewer')).error?.code).toBe('SVC-3007');
      expect((await remove(almost, second.memberId)).error?.code).toBe('SVC-3007');
      expect((await almost.call('PUT', `${ws}/members/${second.memberId}/grants`, { grants: [] })).error?.code).toBe(
        'SVC-3007',
      );
      expect((await add(owner, second.email, 'viewer')).status).toBe(201);
    });

    it('do more than the token allows, cannot use the permissions of its creator', async () => {
      const ada = await colleague('ada');
      const token = (permissions: readonly string[]) =>
        giveToken(database.db, { workspaceId: owner.workspaceId, userId: owner.userId, permissions });
      const request = async (permissions: readonly string[], role: string) =>
        app.call('POST', `${ws}/members`, { bearer: await token(permissions), body: { email: ada.email, role } });
      expect((await request(['members:write'], 'viewer')).error?.code).toBe('SVC-3007');
      expect((await request(builtInRoles.owner.permissions, 'viewer')).status).toBe(201);
    });

    it('act outside a project, cannot change members from within it', async () => {
      const project = await database.db
        .selectFrom('projects')
        .select('id')
        .where('workspace_id', '=', owner.workspaceId)
        .executeTakeFirstOrThrow();
      const bearer = await giveToken(database.db, {
        workspaceId: owner.workspaceId,
        userId: owner.userId,
        permissions: builtInRoles.owner.permissions,
        projectId: project.id,
      });
      const answer = await app.call('POST', `${ws}/members`, { bearer, body: { email: owner.email, role: 'viewer' } });
      expect(answer).toMatchObject({ status: 403, error: { message: 'permission denied: members:write required' } });
    });
  });

  describe('who are the last owner', () => {
    it('can neither leave nor step down', async () => {
      expect((await add(owner, owner.email, 'admin')).error?.code).toBe('SVC-6006');
      expect((await remove(owner, await memberIdOf(owner))).error?.code).toBe('SVC-6006');
    });

    it('remain after all owners leave at the same moment', async () => {
      const owners = [owner, await join('second', 'owner'), await join('third', 'owner')];
      const ids = await Promise.all(owners.map(memberIdOf));
      const answers = await Promise.all(
        owners.map((person, n) => (n % 2 === 0 ? remove(person, ids[n] ?? '') : add(person, person.email, 'viewer'))),
      );
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 204 || status === 201)).toHaveLength(2);
      const left = await database.db
        .selectFrom('members as m')
        .innerJoin('roles as r', 'r.id', 'm.role_id')
        .select('m.id')
        .where('m.workspace_id', '=', owner.workspaceId)
        .where('r.key', '=', 'owner')
        .execute();
      expect(left).toHaveLength(1);
    });

    it('remain after two owners remove each other at the same moment', async () => {
      const second = await join('second', 'owner');
      const [a, b] = [await memberIdOf(owner), second.memberId];
      const answers = await Promise.all([remove(owner, b), remove(second, a)]);
      // The slower one is no longer an owner, or faces the last one.
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      expect([403, 404, 409]).toContain(answers.find(({ status }) => status !== 204)?.status);
    });
  });

  describe('who were removed', () => {
    it('lose access, tokens, grants and open invitations at once, also if they are added again', async () => {
      const ada = await join('ada', 'admin');
      const bearer = await giveToken(database.db, {
        workspaceId: owner.workspaceId,
        userId: ada.userId,
        permissions: ['members:read'],
      });
      expect((await app.call('GET', `${ws}/members`, { bearer })).status).toBe(200);
      const invited = await ada.call('POST', `${ws}/invitations`, { email: 'friend@example.com', role: 'admin' });
      const token = invited.data.url.split('/').at(-1);
      await owner.call('PUT', `${ws}/members/${ada.memberId}/grants`, {
        grants: [{ project: 'default', role: 'viewer' }],
      });

      expect((await remove(owner, ada.memberId)).status).toBe(204);
      expect((await ada.call('GET', `${ws}/members`)).status).toBe(404);
      expect((await app.call('GET', `${ws}/members`, { bearer })).status).toBe(401);
      expect((await app.call('GET', `/invitations/${token}`)).status).toBe(404);
      expect(await database.db.selectFrom('grants').selectAll().execute()).toEqual([]);
      expect((await add(owner, ada.email, 'admin')).status).toBe(201);
      expect((await app.call('GET', `${ws}/members`, { bearer })).status).toBe(401);
      expect((await actions()).filter((action) => action === 'members.remove')).toHaveLength(1);
    });

    it('may have removed themselves', async () => {
      const admin = await join('admin', 'admin');
      expect((await remove(admin, admin.memberId)).status).toBe(204);
      expect((await remove(owner, admin.memberId)).status).toBe(404);
    });
  });

  describe('with grants', () => {
    const path = (memberId: string) => `${ws}/members/${memberId}/grants`;
    const setGrants = async (by: Person, memberId: string, grants: unknown[]) => {
      const { version } = (await owner.call('GET', path(memberId))).data as { version: number };
      return by.call('PUT', path(memberId), { grants, version });
    };

    it('have other roles in projects and environments, returned in the form of the request', async () => {
      const ada = await join('ada', 'viewer');
      const grants = [
        { project: 'default', environment: null, role: 'editor' },
        { project: 'default', environment: 'production', role: 'viewer' },
      ];
      const set = await setGrants(owner, ada.memberId, grants);
      expect(set).toMatchObject({ status: 200, data: { grants } });
      expect((await ada.call('GET', `${ws}/members/${ada.memberId}/grants`)).data).toEqual({ grants, version: 1 });
      const scope = (environment?: string) =>
        app.access.scope(
          { kind: 'session', user: { id: ada.userId, email: ada.email, name: ada.name }, sessionHash: Buffer.alloc(0) },
          { workspace: owner.workspaceId, project: 'default', ...(environment && { environment }) },
        );
      expect((await scope()).permissions.has('flags:write')).toBe(true);
      expect((await scope('production')).permissions.has('flags:write')).toBe(false);
      expect((await scope('development')).permissions.has('flags:write')).toBe(true);
      expect((await setGrants(owner, ada.memberId, [])).data).toEqual({ grants: [], version: 2 });
    });

    it('are replaced only by a request that names their version', async () => {
      const ada = await join('ada', 'viewer');
      const editor = [{ project: 'default', role: 'editor' }];
      const put = (body: object) => owner.call('PUT', path(ada.memberId), body);
      expect((await put({ grants: editor })).data).toMatchObject({ version: 1 });
      expect((await put({ grants: [] })).status).toBe(422);
      expect((await put({ grants: [], version: 0 })).error?.code).toBe('SVC-4003');
      expect((await put({ grants: [], version: 1 })).data).toEqual({ grants: [], version: 2 });
    });
    it('that name something unknown, or one place twice, are rejected as a whole', async () => {
      const ada = await join('ada', 'viewer');
      for (const [grant, status] of [
        [{ project: 'nope', role: 'viewer' }, 404],
        [{ project: newId(), role: 'viewer' }, 404],
        [{ project: 'default', environment: 'nope', role: 'viewer' }, 404],
        [{ project: 'default', role: 'king' }, 404],
        [{ project: 'default', role: 'viewer', admin: true }, 422],
      ] as const)
        expect(
          (
            await setGrants(owner, ada.memberId, [
              { project: 'default', environment: 'production', role: 'editor' },
              grant,
            ])
          ).status,
        ).toBe(status);
      const id = await database.db
        .selectFrom('projects')
        .select('id')
        .where('workspace_id', '=', owner.workspaceId)
        .executeTakeFirstOrThrow();
      expect(
        (
          await setGrants(owner, ada.memberId, [
            { project: 'default', role: 'viewer' },
            { project: id.id, role: 'editor' },
          ])
        ).error?.code,
      ).toBe('SVC-1002');
      expect(await database.db.selectFrom('grants').selectAll().execute()).toEqual([]);
    });

    it('get them only from somebody who holds the same there', async () => {
      const manager = await giveRole(database.db, {
        workspaceId: owner.workspaceId,
        name: 'Manager',
        permissions: [...builtInRoles.viewer.permissions, 'members:write'],
      });
      const ada = await join('ada', manager);
      const bob = await join('bob', 'viewer');
      const editor = [{ project: 'default', role: 'editor' }];
      expect((await setGrants(ada, bob.memberId, editor)).error?.code).toBe('SVC-3007');
      expect((await setGrants(ada, ada.memberId, editor)).error?.code).toBe('SVC-3007');
      await setGrants(owner, ada.memberId, editor);
      expect((await setGrants(ada, bob.memberId, editor)).status).toBe(200);
      // Held in the project, but not in one of its environments: not for the whole project then.
      await setGrants(owner, ada.memberId, [
        ...editor,
        { project: 'default', environment: 'production', role: 'viewer' },
      ]);
      await setGrants(owner, bob.memberId, []);
      expect((await setGrants(ada, bob.memberId, editor)).error?.code).toBe('SVC-3007');
      expect(
        (await setGrants(ada, bob.memberId, [{ project: 'default', environment: 'development', role: 'editor' }]))
          .status,
      ).toBe(200);
    });

    it('that narrow a role cannot be lifted by their holder', async () => {
      const admin = await join('admin', 'admin');
      const narrowed = [{ project: 'default', environment: 'production', role: 'viewer' }];
      await setGrants(owner, admin.memberId, narrowed);
      expect((await setGrants(admin, admin.memberId, [])).error?.code).toBe('SVC-3007');
      // Nor through a second account.
      const bob = await colleague('bob');
      expect((await add(admin, bob.email, 'admin')).error?.code).toBe('SVC-3007');
      expect((await setGrants(admin, admin.memberId, narrowed)).status).toBe(200);
    });

    it('are in the audit log with the state before', async () => {
      const ada = await join('ada', 'viewer');
      await setGrants(owner, ada.memberId, [{ project: 'default', role: 'editor' }]);
      await setGrants(owner, ada.memberId, [{ project: 'default', role: 'admin' }]);
      const entries = await database.db
        .selectFrom('audit_entries')
        .select(['before', 'after', 'workspace_id'])
        .where('action', '=', 'members.set_grants')
        .orderBy('at')
        .orderBy('id')
        .execute();
      expect(entries).toHaveLength(2);
      expect(entries.map(({ workspace_id }) => workspace_id)).toEqual([owner.workspaceId, owner.workspaceId]);
      expect(JSON.stringify(entries)).toContain('"role":"Editor"');
    });
  });
});
