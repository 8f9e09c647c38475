import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import { type Tenant, type TestControlPlane, testControlPlane, testOrigin } from '../../testing/control-plane.ts';
import * as environments from './environment-service.ts';
import * as projects from './project-service.ts';
import { createProjectRetention, type ProjectRetention } from './retention.ts';
import { maxEnvironments, maxProjects } from './rules.ts';

describe.each(testStores)('projects on %s', (_name, start) => {
  let store: TestStore;
  let database: TestDatabase;
  let control: TestControlPlane;
  let retention: ProjectRetention;
  let ada: Tenant;

  beforeAll(async () => {
    store = await start();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    database = await store.fresh();
    control = testControlPlane(database.db);
    const classes = { default: 30, allowed: [7, 30] };
    retention = createProjectRetention({ db: database.db, clock: control.clock, classes });
    ada = await control.addTenant('ada');
  });

  const create = (name: string, key?: string) =>
    projects.create({ ...control.dependencies, retention }, ada.workspace, ada.caller, { name, key }, testOrigin);
  const keys = async (options: { search?: string; after?: string; limit?: number } = {}) => {
    const { search, after, limit = 50 } = options;
    return (
      await projects.list({ ...control.dependencies, retention }, ada.workspace, ada.caller, { search, after, limit })
    ).map(({ key }) => key);
  };
  const addEnvironment = (key: string) =>
    environments.create(control.dependencies, ada, ada.caller, { key, name: key, requires_approval: true }, testOrigin);

  it('start with production and development, and a key derived from the name', async () => {
    const made = await create('Søk & Søn');
    expect(made.key).toMatch(/^[a-z0-9][a-z0-9._-]*$/);
    const refs = await control.environmentsOf(made.id);
    expect(refs.map(({ key }) => key)).toEqual(['production', 'development']);
    expect((await create('検索')).key).toBe('project');
  });

  it('get a numbered key when the name is taken, and reject a given key that is taken or looks like an id', async () => {
    expect([(await create('Shop')).key, (await create('Shop')).key, (await create('shop')).key]).toEqual([
      'shop',
      'shop-2',
      'shop-3',
    ]);
    await expect(create('Another', 'shop')).rejects.toMatchObject({ error: 'KEY_TAKEN' });
    await expect(create('Another', ada.project.id)).rejects.toMatchObject({ error: 'INVALID_INPUT' });
  });

  it('are listed by key, searched in key and name, page by page', async () => {
    await create('Zebra crossing', 'b');
    await create('Ant hill', 'a');
    expect(await keys()).toEqual(['a', 'b', 'default']);
    expect(await keys({ after: 'a', limit: 1 })).toEqual(['b', 'default']);
    expect(await keys({ search: 'ZEBRA' })).toEqual(['b']);
    expect(await keys({ search: '%' })).toEqual([]);
  });

  it('have limits that hold when many are created at once', async () => {
    const filler = Array.from({ length: maxProjects - 2 }, (_, i) => ({
      id: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`,
      workspace_id: ada.workspace.id,
      key: `filler-${i}`,
      name: 'filler',
      deleted_at: null,
    }));
    await database.db.insertInto('projects').values(filler).execute();
    const outcomes = await Promise.allSettled([create('One'), create('Two'), create('Three')]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await database.db
      .insertInto('environments')
      .values(
        filler.slice(0, maxEnvironments - 2).map((row) => ({
          id: row.id,
          key: row.key,
          name: row.name,
          project_id: ada.project.id,
          requires_approval: false,
          deleted_at: null,
        })),
      )
      .execute();
    await expect(addEnvironment('one-more')).rejects.toMatchObject({ error: 'LIMIT_REACHED' });
  });

  it('remove all their contents, free their key, and end keys and tokens', async () => {
    const { db } = database;
    const secret = (id: string, environmentId: string | null) => ({
      id,
      workspace_id: ada.workspace.id,
      user_id: ada.caller.user.id,
      name: 'ci',
      prefix: 'svc_pat_0000',
      secret_hash: Buffer.from(id),
      permissions: [],
      project_id: environmentId === null ? null : ada.project.id,
      environment_id: environmentId,
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    });
    await db
      .insertInto('api_tokens')
      .values([secret(ada.project.id, ada.production.id), secret(ada.workspace.id, null)])
      .execute();
    await expect(
      projects.remove({ ...control.dependencies, retention }, ada, ada.caller, undefined, testOrigin),
    ).rejects.toThrow(/\?confirm=default/);
    await projects.remove({ ...control.dependencies, retention }, ada, ada.caller, 'Default', testOrigin);
    expect(await keys()).toEqual([]);
    expect(await control.environmentsOf(ada.project.id)).toEqual([]);
    const revoked = await db.selectFrom('api_tokens').select('id').where('revoked_at', 'is not', null).execute();
    expect(revoked).toEqual([{ id: ada.project.id }]);
    const [job] = await db.selectFrom('jobs').selectAll().execute();
    expect(job).toMatchObject({ kind: 'telemetry.remove', name: `telemetry.remove:${ada.project.id}` });
    const removals = await db.selectFrom('telemetry_removals').selectAll().execute();
    const place = { workspace: ada.workspace.number, project: ada.project.number, environment: null };
    expect(removals).toMatchObject([{ id: ada.project.id, ...place, key: 'default' }]);
    const told = await db
      .selectFrom('outbox')
      .select(['topic', 'key'])
      .where('topic', '=', 'environments.removed')
      .orderBy('key')
      .execute();
    expect(told).toEqual(
      [ada.production.id, ada.development.id].sort().map((key) => ({ topic: 'environments.removed', key })),
    );
    expect(control.wakes()).toBe(1);
    await expect(
      projects.remove({ ...control.dependencies, retention }, ada, ada.caller, 'default', testOrigin),
    ).rejects.toMatchObject({ error: 'NOT_FOUND' });
    const again = await create('Default');
    expect(again.key).toBe('default');
    expect(await control.audited(ada.workspace.id)).toEqual(['projects.create', 'projects.remove']);
  });

  it('keep one environment when all are removed at the same moment', async () => {
    const third = await addEnvironment('staging');
    const refs = [ada.production, ada.development, { ...third, requiresApproval: true }];
    const outcomes = await Promise.allSettled(
      refs.map((environment) =>
        environments.remove(control.dependencies, { ...ada, environment }, ada.caller, environment.key, testOrigin),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { error: 'LAST_ENVIRONMENT' },
    });
    expect(await control.environmentsOf(ada.project.id)).toHaveLength(1);
  });

  it("delete an environment's telemetry only up to its removal, since its key can be reused", async () => {
    const target = { ...ada, environment: ada.development };
    await environments.remove(control.dependencies, target, ada.caller, 'Development', testOrigin);
    const removals = await database.db.selectFrom('telemetry_removals').selectAll().execute();
    expect(removals).toMatchObject([
      { project: ada.project.number, environment: 'development', removed_at: new Date(control.clock.ms) },
    ]);
    await expect(addEnvironment('development')).resolves.toMatchObject({ requires_approval: true });
    await expect(addEnvironment('development')).rejects.toMatchObject({ error: 'KEY_TAKEN' });
  });

  it('change names and approval, and return 404 once removed', async () => {
    expect(
      await projects.update({ ...control.dependencies, retention }, ada, ada.caller, { name: 'Shop' }, testOrigin),
    ).toMatchObject({
      name: 'Shop',
      key: 'default',
    });
    const target = { ...ada, environment: ada.production };
    expect(
      await environments.update(control.dependencies, target, ada.caller, { requires_approval: true }, testOrigin),
    ).toMatchObject({
      name: 'Production',
      requires_approval: true,
    });
    const entry = await database.db
      .selectFrom('audit_entries')
      .select(['before', 'after'])
      .where('action', '=', 'environments.update')
      .executeTakeFirst();
    expect(entry).toEqual({
      before: { name: 'Production', requires_approval: false },
      after: { name: 'Production', requires_approval: true },
    });
    await environments.remove(control.dependencies, target, ada.caller, 'production', testOrigin);
    await expect(environments.update(control.dependencies, target, ada.caller, {}, testOrigin)).rejects.toMatchObject({
      error: 'NOT_FOUND',
    });
  });

  it('apply a chosen retention at once here, within seconds elsewhere, and without a store', async () => {
    const { db } = database;
    const elsewhere = createProjectRetention({ db, clock: control.clock, classes: retention.classes });
    const all = { traces: 30, logs: 30, metrics: 30, profiles: 30 };
    expect(await retention.of(ada.project.id)).toEqual(all);
    expect(await elsewhere.of(ada.project.id)).toEqual(all);
    const updated = await projects.update(
      { ...control.dependencies, retention },
      ada,
      ada.caller,
      { retention: { logs: 7 } },
      testOrigin,
    );
    expect(updated.retention).toEqual({ traces: null, logs: 7, metrics: null, profiles: null });
    expect(await retention.of(ada.project.id)).toEqual({ ...all, logs: 7 });
    expect(await elsewhere.of(ada.project.id)).toEqual(all);
    control.clock.ms += 2_000;
    expect(await elsewhere.of(ada.project.id)).toEqual({ ...all, logs: 7 });
    await expect(
      projects.update({ ...control.dependencies, retention }, ada, ada.caller, { retention: { logs: 8 } }, testOrigin),
    ).rejects.toMatchObject({
      error: 'INVALID_INPUT',
    });
    await db.schema.alterTable('projects').renameTo('away').execute();
    control.clock.ms += 60_000;
    expect(await elsewhere.of(ada.project.id)).toEqual({ ...all, logs: 7 });
    await expect(elsewhere.of(ada.production.id)).rejects.toThrow();
    await db.schema.alterTable('away').renameTo('projects').execute();
  });

  it('apply the last known retention while the control plane hangs', async () => {
    const { db } = database;
    const known = await retention.of(ada.project.id);
    control.clock.ms += 2_000;
    await db.transaction().execute(async (trx) => {
      await sql`LOCK TABLE projects IN ACCESS EXCLUSIVE MODE`.execute(trx);
      expect(await retention.of(ada.project.id)).toBe(known);
    });
    control.clock.ms += 2_000;
    expect(await retention.of(ada.project.id)).toEqual(known);
  });

  it('are inaccessible to a token that is pinned elsewhere or below', async () => {
    const other = await create('Other');
    const token = {
      ...ada.caller,
      kind: 'token' as const,
      tokenId: other.id,
      tokenName: 'ci',
      workspaceId: ada.workspace.id,
      permissions: new Set(['projects:write', 'environments:write'] as const),
      projectId: other.id,
      environmentId: null,
    };
    expect(
      (
        await projects.list({ ...control.dependencies, retention }, ada.workspace, token, {
          search: undefined,
          after: undefined,
          limit: 9,
        })
      ).map(({ key }) => key),
    ).toEqual(['other']);
    await expect(
      projects.create({ ...control.dependencies, retention }, ada.workspace, token, { name: 'x' }, testOrigin),
    ).rejects.toThrow('permission denied: projects:write required');
    const narrower = { ...token, projectId: ada.project.id, environmentId: ada.production.id };
    const listed = await environments.list(control.dependencies, ada, narrower, { after: undefined, limit: 9 });
    expect(listed.map(({ key }) => key)).toEqual(['production']);
    for (const refused of [
      environments.create(
        control.dependencies,
        ada,
        narrower,
        { key: 'x', name: 'x', requires_approval: false },
        testOrigin,
      ),
      environments.remove(
        control.dependencies,
        { ...ada, environment: ada.production },
        narrower,
        'production',
        testOrigin,
      ),
      projects.update({ ...control.dependencies, retention }, ada, narrower, { name: 'x' }, testOrigin),
    ])
      await expect(refused).rejects.toMatchObject({ error: 'PERMISSION_DENIED' });
  });
});
