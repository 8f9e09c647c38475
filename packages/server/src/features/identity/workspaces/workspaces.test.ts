import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import { type Tenant, type TestControlPlane, testControlPlane, testOrigin } from '../../testing/control-plane.ts';
import * as workspaces from './service.ts';
import { maxOwnedWorkspaces } from './service.ts';

describe.each(testStores)('workspaces on %s', (_name, start) => {
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
  });

  const create = (name: string, slug?: string) =>
    workspaces.create(control.dependencies, ada.caller.user.id, { name, slug }, testOrigin);

  it('are listed for their members only, with the role, page by page', async () => {
    await control.addTenant('eve');
    control.clock.ms += 1;
    const second = await create('Second');
    expect(second).toMatchObject({ slug: 'second', role: 'owner' });
    const { caller } = await control.addMember(ada.workspace, 'bob', ['flags:read']);
    expect((await workspaces.list(control.dependencies, ada.caller, undefined, 1)).map(({ slug }) => slug)).toEqual([
      'ada',
      'second',
    ]);
    expect(
      (await workspaces.list(control.dependencies, ada.caller, ada.workspace.id, 9)).map(({ slug }) => slug),
    ).toEqual(['second']);
    expect(await workspaces.list(control.dependencies, caller, undefined, 9)).toMatchObject([
      { slug: 'ada', role: expect.stringContaining('bob') },
    ]);
  });

  it('have a unique slug until they are removed', async () => {
    await expect(create('Other', 'ada')).rejects.toMatchObject({ error: 'KEY_TAKEN' });
    await expect(create('Other', ada.workspace.id)).rejects.toMatchObject({ error: 'INVALID_INPUT' });
    const other = await create('Other');
    const ref = { ...other, number: 0 };
    await expect(
      workspaces.update(control.dependencies, ref, ada.caller, { slug: 'ada' }, testOrigin),
    ).rejects.toMatchObject({
      error: 'KEY_TAKEN',
    });
    expect(await workspaces.update(control.dependencies, ref, ada.caller, { slug: 'newer' }, testOrigin)).toMatchObject(
      {
        name: 'Other',
        slug: 'newer',
        role: 'owner',
      },
    );
    await workspaces.remove(control.dependencies, ada.workspace, 'ada', testOrigin);
    expect(await workspaces.update(control.dependencies, ref, ada.caller, { slug: 'ada' }, testOrigin)).toMatchObject({
      slug: 'ada',
    });
  });

  it('remove all their contents', async () => {
    await expect(workspaces.remove(control.dependencies, ada.workspace, 'Ada ', testOrigin)).rejects.toMatchObject({
      error: 'CONFIRMATION_REQUIRED',
    });
    await workspaces.remove(control.dependencies, ada.workspace, 'ada', testOrigin);
    await expect(control.access.scope(ada.caller, { workspace: ada.workspace.id })).rejects.toMatchObject({
      error: 'NOT_FOUND',
    });
    expect(await workspaces.list(control.dependencies, ada.caller, undefined, 9)).toEqual([]);
    const live = await database.db.selectFrom('projects').select('id').where('deleted_at', 'is', null).execute();
    expect(live).toEqual([]);
    expect(await database.db.selectFrom('telemetry_removals').selectAll().execute()).toMatchObject([
      { workspace: ada.workspace.number, project: null, environment: null },
    ]);
    await expect(workspaces.remove(control.dependencies, ada.workspace, 'ada', testOrigin)).rejects.toMatchObject({
      error: 'NOT_FOUND',
    });
    expect(await control.audited(ada.workspace.id)).toEqual(['workspaces.remove']);
  });

  it('are limited per owner, also when many are created at once', async () => {
    for (let i = 2; i < maxOwnedWorkspaces; i++) await create(`w${i}`);
    const outcomes = await Promise.allSettled([create('x'), create('y')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
