import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import { testControlPlane, testOrigin } from '../../testing/control-plane.ts';
import { recordAudit } from './record.ts';
import { idFloor, maskSecrets } from './rules.ts';
import { type AuditFilter, listEntries } from './store.ts';

const all: AuditFilter = {
  action: undefined,
  actor: undefined,
  resourceType: undefined,
  resourceId: undefined,
  from: undefined,
  to: undefined,
};

describe.each(testStores)('the audit log on %s', (_name, start) => {
  let store: TestStore;
  let database: TestDatabase;
  beforeAll(async () => {
    store = await start();
    database = await store.fresh();
  });
  afterAll(() => store.close());

  it('lists who changed what in one workspace, newest first, with filters and pages', async () => {
    const { db } = database;
    const control = testControlPlane(db);
    const [ada, eve] = [await control.addTenant('ada'), await control.addTenant('eve')];
    const begin = control.clock.ms;
    const record = (workspaceId: string, action: string, at: number, actor = 'tester') =>
      recordAudit(
        db,
        { ...testOrigin, actor: { ...testOrigin.actor, id: actor } },
        {
          workspaceId,
          action,
          resource: { type: action.split('.')[0] ?? '', id: `id of ${action}`, name: null },
          projectId: ada.project.id,
          after: { text: 'a\0b\ud800c', password: 'hunter2', key: 'kept' },
        },
        new Date(begin + at),
      );
    await record(ada.workspace.id, 'roles.create', 0);
    await record(ada.workspace.id, 'roles.update', 1_000, 'another');
    await record(ada.workspace.id, 'roles_like.update', 2_000);
    await record(eve.workspace.id, 'roles.create', 1_500);
    const actions = async (filter: Partial<AuditFilter>, at: { after?: string; limit?: number } = {}) => {
      const rows = await listEntries(
        db,
        ada.workspace.id,
        { ...all, ...filter },
        { after: at.after, limit: at.limit ?? 9 },
      );
      return rows.map(({ action }) => action);
    };
    expect(await actions({})).toEqual(['roles_like.update', 'roles.update', 'roles.create']);
    expect(await actions({ action: 'roles' })).toEqual(['roles.update', 'roles.create']);
    expect(await actions({ action: 'roles.update' })).toEqual(['roles.update']);
    expect(await actions({ actor: 'another' })).toEqual(['roles.update']);
    expect(await actions({ resourceType: 'roles_like' })).toEqual(['roles_like.update']);
    expect(await actions({ resourceId: 'id of roles.create' })).toEqual(['roles.create']);
    expect(await actions({ from: idFloor(new Date(begin + 1_000)) })).toEqual(['roles_like.update', 'roles.update']);
    expect(await actions({ to: idFloor(new Date(begin + 1_000)) })).toEqual(['roles.create']);
    const [first] = await listEntries(db, ada.workspace.id, all, { after: undefined, limit: 1 });
    expect(first).toMatchObject({
      project: 'default',
      environment: null,
      after: { text: 'a\uFFFDb\uFFFDc', password: '[secret]', key: 'kept' },
      ip: '127.0.0.1',
      request_id: 'request-1',
    });
    expect(await actions({}, { after: first?.id ?? '', limit: 1 })).toEqual(['roles.update']);
  });
});

describe('an audit entry', () => {
  it('masks secrets at any depth and contains no broken characters', () => {
    expect(maskSecrets({ a: [{ secret: 'x', token_hash: 'y' }], emoji: '🎉', at: new Date(0) })).toEqual({
      a: [{ secret: '[secret]', token_hash: '[secret]' }],
      emoji: '🎉',
      at: '1970-01-01T00:00:00.000Z',
    });
  });
});

describe('idFloor', () => {
  it('is below every id of its millisecond and above all earlier ids', () => {
    const at = new Date('2026-11-20T12:00:00.000Z');
    expect(idFloor(at)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-8000-0{12}$/);
    expect(idFloor(at) > idFloor(new Date(at.getTime() - 1))).toBe(true);
  });
});
