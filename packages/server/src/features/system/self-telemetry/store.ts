import type { Executor } from '../../../platform/postgres/database.ts';

/** A project and its workspace, with their numbers in the telemetry store. */
export interface OwnProject {
  readonly workspaceId: string;
  readonly workspace: number;
  readonly projectId: string;
  readonly project: number;
  readonly key: string;
}

/** Undefined: there is no such project, or it was removed. */
export async function findProject(
  db: Executor,
  by: { readonly id: string } | { readonly workspaceId: string; readonly key: string },
): Promise<OwnProject | undefined> {
  const query = db
    .selectFrom('projects as p')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .select(['w.id as workspaceId', 'w.number as workspace', 'p.id as projectId', 'p.number as project', 'p.key'])
    .where('p.deleted_at', 'is', null)
    .where('w.deleted_at', 'is', null);
  const found =
    'id' in by
      ? query.where('p.id', '=', by.id)
      : query.where('p.workspace_id', '=', by.workspaceId).where('p.key', '=', by.key);
  return found.executeTakeFirst();
}

/** That of the first person who signed up; undefined before that. */
export async function findOldestWorkspace(db: Executor): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('workspaces')
    .select('id')
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}
