import type { Permission } from '@fanion/contract';
import type { Access, UserCaller } from '../../../http/caller.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { listProjectIds } from './store.ts';

/**
 * The projects in which a caller holds a permission everywhere; undefined: in all of them. A project in which some
 * environment takes the permission away is left out.
 */
export async function readableProjects(
  access: Pick<Access, 'scope'>,
  db: Executor,
  caller: UserCaller,
  workspaceId: string,
  permission: Permission,
): Promise<readonly string[] | undefined> {
  const everywhere = await access.scope(caller, { workspace: workspaceId });
  if (everywhere.project === undefined && everywhere.permissionsBelow.has(permission)) return undefined;
  const candidates = everywhere.project === undefined ? await listProjectIds(db, workspaceId) : [everywhere.project.id];
  const readable: string[] = [];
  for (const project of candidates) {
    const { permissionsBelow } = await access.scope(caller, { workspace: workspaceId, project });
    if (permissionsBelow.has(permission)) readable.push(project);
  }
  return readable;
}
