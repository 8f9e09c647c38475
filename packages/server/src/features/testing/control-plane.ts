import type { Permission } from '@fanion/contract';
import type { EnvironmentRef, ProjectRef, SessionCaller, TokenCaller, WorkspaceRef } from '../../http/caller.ts';
import type { Origin } from '../../http/context.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { newId } from '../../platform/ids.ts';
import { createLog } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { createAccess } from '../identity/access/index.ts';
import { createRemovedPlaces } from '../identity/removal/index.ts';
import { createWorkspaceWithDefaults } from '../identity/workspaces/index.ts';

export const testOrigin: Origin = {
  actor: { type: 'user', id: 'tester', name: 'Tester' },
  ip: '127.0.0.1',
  requestId: 'request-1',
};

export interface Tenant {
  readonly caller: SessionCaller;
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef;
  readonly production: EnvironmentRef;
  readonly development: EnvironmentRef;
}

export const testSecretKey = Buffer.from('the secret key of the tests of features');

/** The dependencies of features over a test database, with an adjustable clock. */
export function testControlPlane(db: Database) {
  const clock = { ms: Date.parse('2026-11-20T12:00:00Z'), now: () => clock.ms };
  const access = createAccess({ db, clock });
  let wakes = 0;
  const dependencies = {
    ...{ db, clock, access, log: createLog('silent'), outbox: { wake: () => void wakes++ } },
    removedPlaces: createRemovedPlaces({ db, clock, toldUntil: () => 0 }),
    encryption: createEncryption(testSecretKey, undefined),
  };

  async function addUser(name: string): Promise<SessionCaller> {
    const user = { id: newId(), name, email: `${name}-${newId()}@example.com` };
    await db
      .insertInto('users')
      .values({ ...user, password_hash: null })
      .execute();
    return { kind: 'session', user, sessionHash: Buffer.alloc(32) };
  }

  async function environmentsOf(projectId: string): Promise<EnvironmentRef[]> {
    const rows = await db
      .selectFrom('environments')
      .select(['id', 'key', 'name', 'requires_approval as requiresApproval'])
      .where('project_id', '=', projectId)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .execute();
    return rows;
  }

  return {
    dependencies,
    clock,
    access,
    wakes: () => wakes,
    addUser,
    environmentsOf,

    /** An owner with a workspace, its first project and both environments. */
    async addTenant(name: string): Promise<Tenant> {
      const caller = await addUser(name);
      const created = await db
        .transaction()
        .execute((trx) =>
          createWorkspaceWithDefaults(trx, { name, ownerUserId: caller.user.id, now: new Date(clock.ms) }),
        );
      const project = await db
        .selectFrom('projects')
        .select(['id', 'number', 'key', 'name'])
        .where('workspace_id', '=', created.id)
        .executeTakeFirstOrThrow();
      const [production, development] = await environmentsOf(project.id);
      if (production === undefined || development === undefined) throw new Error('environments are missing');
      const { id, number, slug } = created;
      return { caller, workspace: { id, number, slug, name }, project, production, development };
    },

    /** A member with a role of just these permissions. */
    async addMember(workspace: WorkspaceRef, name: string, permissions: readonly Permission[]) {
      const caller = await addUser(name);
      const roleId = newId();
      const memberId = newId();
      const role = { id: roleId, workspace_id: workspace.id, key: null, name: `${name} ${roleId}`, description: '' };
      await db
        .insertInto('roles')
        .values({ ...role, permissions: [...permissions] })
        .execute();
      await db
        .insertInto('members')
        .values({ id: memberId, workspace_id: workspace.id, user_id: caller.user.id, role_id: roleId })
        .execute();
      return { caller, roleId, memberId };
    },

    async grant(memberId: string, projectId: string, environmentId: string | null, roleId: string): Promise<void> {
      await db
        .insertInto('grants')
        .values({ member_id: memberId, project_id: projectId, environment_id: environmentId, role_id: roleId })
        .execute();
    },

    /** The actions in the audit log of a workspace, by name. */
    async audited(workspaceId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('audit_entries')
        .select('action')
        .where('workspace_id', '=', workspaceId)
        .orderBy('action')
        .execute();
      return rows.map(({ action }) => action);
    },

    /** The caller of a token's secret. */
    async tokenCaller(secret: string): Promise<TokenCaller> {
      const caller = await access.authenticate({
        cookie: undefined,
        authorization: `Bearer ${secret}`,
        apiKey: undefined,
      });
      if (caller.kind !== 'token') throw new Error(`not a token but ${caller.kind}`);
      return caller;
    },
  };
}
export type TestControlPlane = ReturnType<typeof testControlPlane>;
