import type { ProjectRef, WorkspaceRef } from '../../../http/caller.ts';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { requireEnvironment } from '../../identity/projects/index.ts';
import { findFlag } from './store.ts';

/** Throws `FLAG_NOT_FOUND` or `NOT_FOUND` if a list is empty because it was asked for something that does not exist. */
export async function requirePlace(
  db: Executor,
  { workspace, project }: { readonly workspace: WorkspaceRef; readonly project: ProjectRef },
  { flag, environment }: { readonly flag?: string | undefined; readonly environment?: string | undefined },
): Promise<void> {
  if (flag !== undefined && (await findFlag(db, project.id, flag)) === undefined)
    throw fail('FLAG_NOT_FOUND', { key: flag });
  await requireEnvironment(db, { workspaceId: workspace.id, projectId: project.id }, environment);
}
