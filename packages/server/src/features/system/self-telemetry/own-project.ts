import { type Clock, dateOf } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { createProjectWithDefaults, lockWorkspace } from '../../identity/workspaces/index.ts';
import { findOldestWorkspace, findProject, type OwnProject } from './store.ts';

const ownProjectKey = 'fanion';

interface Dependencies {
  readonly db: Database;
  readonly clock: Clock;
  /** As configured; undefined: the project `fanion` of the oldest workspace. */
  readonly projectId: string | undefined;
}

/** The workspace of the server's operators: that of the project for self-telemetry, else the oldest. */
export async function findOperatorsWorkspace({ db, projectId }: Pick<Dependencies, 'db' | 'projectId'>) {
  if (projectId === undefined) return (await findOldestWorkspace(db))?.id;
  return (await findProject(db, { id: projectId }))?.workspaceId;
}

/** The project that gets the server's telemetry, if it exists. */
export async function findOwnProject({
  db,
  projectId,
}: Pick<Dependencies, 'db' | 'projectId'>): Promise<OwnProject | undefined> {
  if (projectId !== undefined) return findProject(db, { id: projectId });
  const workspace = await findOldestWorkspace(db);
  return workspace && findProject(db, { workspaceId: workspace.id, key: ownProjectKey });
}

/** Creates the project `fanion` unless another one is configured. Undefined: nobody has signed up yet, or the configured one is gone. */
export async function openOwnProject(dependencies: Dependencies): Promise<OwnProject | undefined> {
  const found = await findOwnProject(dependencies);
  const { db, clock, projectId } = dependencies;
  if (found !== undefined || projectId !== undefined) return found;
  const now = dateOf(clock);
  await db.transaction().execute(async (trx) => {
    const oldest = await findOldestWorkspace(trx);
    // The lock lets only one of several servers create it.
    const workspace = oldest && (await lockWorkspace(trx, oldest.id));
    if (workspace === undefined) return;
    const input = { workspaceId: workspace.id, key: ownProjectKey, name: 'Fanion', now };
    const project = await createProjectWithDefaults(trx, input);
    if (project === undefined) return;
    await recordAudit(
      trx,
      { actor: { type: 'system', id: null, name: 'self-telemetry' }, ip: null, requestId: null },
      {
        workspaceId: workspace.id,
        action: 'projects.create',
        resource: { type: 'project', id: project.id, name: project.name },
        projectId: project.id,
        after: { key: project.key, name: project.name },
      },
      now,
    );
  });
  return findOwnProject(dependencies);
}
