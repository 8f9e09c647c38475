import type { ProjectRef, WorkspaceRef } from '../../../http/caller.ts';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { listKnownEnvironments } from './store.ts';

/** More would not help anybody to find the right one. */
const maxNamed = 20;

/**
 * Throws `NOT_FOUND`, with the environments that exist, if none has this key or id. For lists that are empty: an environment
 * that nobody registered is known by the rows about it.
 */
export async function requireEnvironment(
  db: Executor,
  place: { readonly workspaceId: string; readonly projectId: string | undefined },
  name: string | undefined,
): Promise<void> {
  if (name === undefined) return;
  const known = await listKnownEnvironments(db, place);
  if (known.some(({ id, key }) => id === name || key === name)) return;
  const keys = [...new Set(known.map(({ key }) => key))];
  const existing = keys.length === 0 ? 'none exist yet' : `these exist: ${keys.slice(0, maxNamed).join(', ')}`;
  throw fail('NOT_FOUND', { resource: `environment: ${name}; ${existing}` });
}

/**
 * Throws `NOT_FOUND` if a list of a workspace is empty because no project has the environment that it was narrowed to. One of a named
 * project was looked up before.
 */
export async function requireNarrowed(
  db: Executor,
  workspace: Pick<WorkspaceRef, 'id'>,
  { project, environment }: { readonly project: ProjectRef | undefined; readonly environment: string | undefined },
  rows: readonly unknown[],
): Promise<void> {
  if (rows.length === 0 && project === undefined)
    await requireEnvironment(db, { workspaceId: workspace.id, projectId: undefined }, environment);
}
