import { type Insertable, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { ControlPlane } from '../../../platform/postgres/schema.ts';
import { matchesAction } from './rules.ts';

export interface AuditFilter {
  readonly action: string | undefined;
  readonly actor: string | undefined;
  readonly resourceType: string | undefined;
  readonly resourceId: string | undefined;
  /** Ids, see `idFloor`: at or after, and before. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export async function insertEntries(
  db: Executor,
  entries: readonly Insertable<ControlPlane['audit_entries']>[],
): Promise<void> {
  await db.insertInto('audit_entries').values(entries).execute();
}

/** The workspaces that people can open. */
export async function listWorkspaceIds(db: Executor): Promise<string[]> {
  const rows = await db.selectFrom('workspaces').select('id').where('deleted_at', 'is', null).orderBy('id').execute();
  return rows.map(({ id }) => id);
}

/** Entries of a workspace, newest first, with the keys of project and environment, also of removed ones. */
export async function listEntries(
  db: Executor,
  workspaceId: string,
  filter: AuditFilter,
  { after, limit }: { after: string | undefined; limit: number },
) {
  let query = db
    .selectFrom('audit_entries as a')
    .leftJoin('projects as p', 'p.id', 'a.project_id')
    .leftJoin('environments as e', 'e.id', 'a.environment_id')
    .select([
      'a.id',
      'a.at',
      'a.action',
      'a.actor_type',
      'a.actor_id',
      'a.actor_name',
      'a.resource_type',
      'a.resource_id',
      'a.resource_name',
      'a.before',
      'a.after',
      'a.ip',
      'a.request_id',
      'p.key as project',
      'e.key as environment',
    ])
    .where('a.workspace_id', '=', workspaceId)
    .orderBy('a.id', 'desc')
    .limit(limit);
  if (after !== undefined) query = query.where('a.id', '<', after);
  if (filter.from !== undefined) query = query.where('a.id', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('a.id', '<', filter.to);
  if (filter.action !== undefined) {
    const wanted = matchesAction(filter.action);
    query =
      'exactly' in wanted
        ? query.where('a.action', '=', wanted.exactly)
        : query.where(sql<boolean>`split_part(a.action, '.', 1) = ${wanted.area}`);
  }
  if (filter.actor !== undefined) query = query.where('a.actor_id', '=', filter.actor);
  if (filter.resourceType !== undefined) query = query.where('a.resource_type', '=', filter.resourceType);
  if (filter.resourceId !== undefined) query = query.where('a.resource_id', '=', filter.resourceId);
  return query.execute();
}
export type AuditRow = Awaited<ReturnType<typeof listEntries>>[number];
