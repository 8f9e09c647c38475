import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import { type Tenant, type TestControlPlane, testControlPlane, testOrigin } from '../../testing/control-plane.ts';
import * as roles from './service.ts';
import { maxCustomRoles } from './service.ts';

describe.each(testStores)('roles on %s', (_name, start) => {
  let store: TestStore;
  let database: TestDatabase;
  let control: TestControlPlane;
  let ada: Tenant;

  beforeAll(async () => {
    store = await start();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    database = await store.fresh();
    control = testControlPlane(database.db);
    ada = await control.addTenant('ada');
    // The built-in roles have ids of the milliseconds after the workspace's.
    control.clock.ms += 10;
  });

  const input = {
    name: 'On-call',
    description: '',
    permissions: ['alerts:write', 'flags:read', 'alerts:write'] as const,
  };
  const create = (
    more: Partial<Parameters<typeof roles.create>[3]> = {},
    caller: Parameters<typeof roles.create>[2] = ada.caller,
  ) => roles.create(control.dependencies, ada.workspace, caller, { ...input, ...more }, testOrigin);

  it('lists built-in roles first, then custom ones, with the number of their holders', async () => {
    const made = await create();
    expect(made).toMatchObject({ permissions: ['flags:read', 'alerts:write'], built_in: false, key: null, version: 1 });
    const listed = await roles.list(control.dependencies, ada.workspace, undefined, 50);
    expect(listed.map(({ name, members }) => [name, members])).toEqual([
      ['Owner', 1],
      ['Admin', 0],
      ['Editor', 0],
      ['Viewer', 0],
      ['On-call', 0],
    ]);
    expect(await roles.list(control.dependencies, ada.workspace, listed[3]?.id, 50)).toEqual([listed[4]]);
    expect(await roles.get(control.dependencies, ada.workspace, made.id)).toEqual(made);
  });

  it('rejects a name that is taken, whatever its case', async () => {
    await create();
    await expect(create({ name: 'on-CALL' })).rejects.toMatchObject({ error: 'KEY_TAKEN' });
    const other = await create({ name: 'Other' });
    await expect(
      roles.update(control.dependencies, ada.workspace, ada.caller, other.id, { name: 'On-call' }, testOrigin),
    ).rejects.toMatchObject({ error: 'KEY_TAKEN' });
  });

  it('is updated with its current version; a stale one gets an error that names the current one', async () => {
    const { id } = await create();
    const change = { permissions: ['flags:write'] as const, version: 1 };
    const changed = await roles.update(control.dependencies, ada.workspace, ada.caller, id, change, testOrigin);
    expect(changed).toMatchObject({ name: 'On-call', permissions: ['flags:write'], version: 2 });
    await expect(
      roles.update(control.dependencies, ada.workspace, ada.caller, id, change, testOrigin),
    ).rejects.toMatchObject({
      error: 'STALE_VERSION',
      details: [{ path: 'version', current: 2 }],
    });
    await expect(
      roles.update(control.dependencies, ada.workspace, ada.caller, id, {}, testOrigin),
    ).resolves.toMatchObject({ version: 2 });
    const renamed = roles.update(control.dependencies, ada.workspace, ada.caller, id, { name: 'Other' }, testOrigin);
    await expect(renamed).resolves.toMatchObject({ version: 3 });
  });

  it('never gets permissions that its editor lacks, but may keep those it had', async () => {
    const { caller } = await control.addMember(ada.workspace, 'bob', ['roles:read', 'roles:write', 'flags:read']);
    await expect(create({ permissions: ['flags:write'] }, caller)).rejects.toMatchObject({ error: 'ESCALATION' });
    const { id } = await create({ permissions: ['flags:write'] });
    const change = (permissions: readonly ('flags:read' | 'flags:write' | 'alerts:write')[]) =>
      roles.update(control.dependencies, ada.workspace, caller, id, { permissions }, testOrigin);
    await expect(change(['flags:write', 'alerts:write'])).rejects.toMatchObject({ error: 'ESCALATION' });
    await expect(change(['flags:write', 'flags:read'])).resolves.toBeDefined();
    await expect(change(['flags:read'])).resolves.toBeDefined();
    await expect(change(['flags:write'])).rejects.toMatchObject({ error: 'ESCALATION' });
  });

  it('cannot restore what a grant takes from its editor', async () => {
    const { caller, memberId } = await control.addMember(ada.workspace, 'bob', ['roles:write', 'flags:write']);
    const { roleId } = await control.addMember(ada.workspace, 'carl', []);
    await control.grant(memberId, ada.project.id, null, roleId);
    await expect(create({ permissions: ['flags:write'] }, caller)).rejects.toMatchObject({ error: 'ESCALATION' });
  });

  it('cannot be changed when built-in', async () => {
    const [owner] = await roles.list(control.dependencies, ada.workspace, undefined, 1);
    const id = owner?.id ?? '';
    await expect(
      roles.update(control.dependencies, ada.workspace, ada.caller, id, { name: 'Boss' }, testOrigin),
    ).rejects.toMatchObject({
      error: 'ROLE_BUILT_IN',
    });
    await expect(roles.remove(control.dependencies, ada.workspace, id, testOrigin)).rejects.toMatchObject({
      error: 'ROLE_BUILT_IN',
    });
  });

  it('cannot be removed while it has holders or invitations', async () => {
    const { roleId } = await control.addMember(ada.workspace, 'bob', []);
    await expect(roles.remove(control.dependencies, ada.workspace, roleId, testOrigin)).rejects.toThrow(/in use by 1/);
    const { id } = await create();
    const invitation = {
      id,
      workspace_id: ada.workspace.id,
      email: 'carl@example.com',
      role_id: id,
      token_hash: Buffer.from('hash'),
      invited_by: null,
      expires_at: new Date(control.clock.ms + 1),
      accepted_at: null,
    };
    await database.db.insertInto('invitations').values(invitation).execute();
    await expect(roles.remove(control.dependencies, ada.workspace, id, testOrigin)).rejects.toMatchObject({
      error: 'ROLE_IN_USE',
    });
    control.clock.ms += 1;
    await roles.remove(control.dependencies, ada.workspace, id, testOrigin);
    await expect(roles.get(control.dependencies, ada.workspace, id)).rejects.toMatchObject({ error: 'NOT_FOUND' });
    expect(await control.audited(ada.workspace.id)).toEqual(['roles.create', 'roles.remove']);
  });

  it('is visible only in its workspace', async () => {
    const eve = await control.addTenant('eve');
    const { id } = await create();
    for (const unknown of [id, eve.workspace.id, 'owner']) {
      await expect(roles.get(control.dependencies, eve.workspace, unknown)).rejects.toMatchObject({
        error: 'NOT_FOUND',
      });
      await expect(roles.remove(control.dependencies, eve.workspace, unknown, testOrigin)).rejects.toMatchObject({
        error: 'NOT_FOUND',
      });
      await expect(
        roles.update(control.dependencies, eve.workspace, eve.caller, unknown, { name: 'mine' }, testOrigin),
      ).rejects.toMatchObject({ error: 'NOT_FOUND' });
    }
  });

  it('has a limit that holds when many are created at once', async () => {
    const filler = Array.from({ length: maxCustomRoles - 1 }, (_, i) => ({
      id: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`,
      workspace_id: ada.workspace.id,
      key: null,
      name: `filler ${i}`,
      description: '',
      permissions: [],
    }));
    await database.db.insertInto('roles').values(filler).execute();
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => create({ name })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { error: 'LIMIT_REACHED' } });
  });
});
