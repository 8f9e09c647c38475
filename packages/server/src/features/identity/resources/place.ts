import type { PageQuery } from '@fanion/contract';
import type { Access, ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Reply } from '../../../http/context.ts';
import { pageById } from '../../../http/cursor.ts';
import { fail } from '../../../platform/fail.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { requireReadable } from '../access/index.ts';
import { type PlacedFilter, requireNarrowed } from '../projects/index.ts';

/** Where a resource reads telemetry. */
export interface ResourcePlace {
  readonly workspace: WorkspaceRef;
  readonly project: Pick<ProjectRef, 'id' | 'number'>;
  readonly environment: string | undefined;
}

interface Narrowed {
  readonly project: ProjectRef | undefined;
  readonly environment: string | undefined;
}

/** The place that a request names. Throws `NOT_FOUND` without a project. */
export function placeIn({
  workspace,
  narrowed,
}: {
  readonly workspace: WorkspaceRef;
  readonly narrowed: Narrowed;
}): ResourcePlace & Narrowed & { readonly project: ProjectRef } {
  const { project, environment } = narrowed;
  if (project === undefined) throw fail('NOT_FOUND', { resource: 'project' });
  return { workspace, project, environment };
}

export function placeOfRow(
  workspace: WorkspaceRef,
  row: { readonly project_id: string; readonly project_number: number; readonly environment: string | null },
): ResourcePlace {
  const project = { id: row.project_id, number: row.project_number };
  return { workspace, project, environment: row.environment ?? undefined };
}

export function placeColumns({ project, environment }: Pick<ResourcePlace, 'project' | 'environment'>) {
  return { project_id: project.id, environment: environment ?? null };
}

/** The place as queries name it. */
export function scopeOf({ workspace, project, environment }: ResourcePlace) {
  return { workspace: workspace.number, project: project.number, environment };
}

/** Throws `PERMISSION_DENIED` unless the caller may query the telemetry there. */
export async function requireReadablePlace(
  access: Pick<Access, 'scope'>,
  caller: UserCaller,
  { workspace, project, environment }: ResourcePlace,
): Promise<void> {
  await requireReadable(access, caller, { workspace: workspace.id, project: project.id, environment });
}

/** A page of the resources of a workspace, or of the place that it is narrowed to; `NOT_FOUND` for an unknown environment. */
export async function pageOfPlaced<Row extends { readonly id: string }>(
  db: Database,
  {
    workspace,
    narrowed,
    query,
  }: {
    readonly workspace: WorkspaceRef;
    readonly narrowed: Narrowed;
    readonly query: Pick<PageQuery, 'limit' | 'cursor'> & { readonly search?: string | undefined };
  },
  read: (page: { after: string | undefined; limit: number }, filter: PlacedFilter) => Promise<readonly Row[]>,
): Promise<Reply<readonly Row[]>> {
  const filter = { projectId: narrowed.project?.id, environment: narrowed.environment, search: query.search };
  return pageById(query, async (page) => {
    const rows = await read(page, filter);
    await requireNarrowed(db, workspace, narrowed, rows);
    return rows;
  });
}
