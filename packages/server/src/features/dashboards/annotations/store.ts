import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { AnnotationTable } from '../../../platform/postgres/schema.ts';
import { placeExists } from '../../identity/projects/index.ts';

/** The last row of a page: later ones are before it in time, or at the same time with a smaller id. */
export interface Position {
  readonly time: Date;
  readonly id: string;
}

/** Rows of [from, to), latest first. */
export interface Slice {
  readonly from: Date;
  readonly to: Date;
  readonly after: Position | undefined;
  readonly limit: number;
}

export interface PlaceFilter {
  readonly projectId: string | undefined;
  readonly environment: string | undefined;
}

export type AnnotationRow = Omit<Selectable<AnnotationTable>, 'workspace_id'> & { readonly project: string | null };

function annotations(db: Executor, workspaceId: string) {
  return db
    .selectFrom('annotations as r')
    .innerJoin('workspaces as w', 'w.id', 'r.workspace_id')
    .leftJoin('projects as p', 'p.id', 'r.project_id')
    .selectAll('r')
    .select('p.key as project')
    .where('r.workspace_id', '=', workspaceId)
    .where((eb) => eb.or([eb('r.project_id', 'is', null), placeExists]));
}

/** Those of a place, and those of the places around it. An annotation with an end is listed while it lasts. */
export async function listAnnotations(
  db: Executor,
  workspaceId: string,
  { projectId, environment, service }: PlaceFilter & { readonly service: string | undefined },
  { from, to, after, limit }: Slice,
): Promise<AnnotationRow[]> {
  let query = annotations(db, workspaceId)
    .where('r.time', '<', to)
    .where((eb) => eb.or([eb('r.time', '>=', from), eb('r.end_time', '>=', from)]))
    .orderBy('r.time', 'desc')
    .orderBy('r.id', 'desc')
    .limit(limit);
  if (projectId !== undefined)
    query = query.where((eb) => eb.or([eb('r.project_id', 'is', null), eb('r.project_id', '=', projectId)]));
  if (environment !== undefined)
    query = query.where((eb) => eb.or([eb('r.environment', 'is', null), eb('r.environment', '=', environment)]));
  if (service !== undefined)
    query = query.where((eb) => eb.or([eb('r.service', 'is', null), eb('r.service', '=', service)]));
  if (after !== undefined) query = query.where(sql<boolean>`(r.time, r.id) < (${after.time}, ${after.id}::uuid)`);
  return query.execute();
}

export async function findAnnotation(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<AnnotationRow | undefined> {
  return annotations(db, workspaceId).where('r.id', '=', id).executeTakeFirst();
}

export async function countAnnotations(db: Executor, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('annotations')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}

export type NewAnnotation = Selectable<AnnotationTable>;

export async function insertAnnotation(trx: Executor, row: NewAnnotation): Promise<void> {
  await trx.insertInto('annotations').values(row).execute();
}

/** Returns whether it existed. */
export async function deleteAnnotation(trx: Executor, workspaceId: string, id: string): Promise<boolean> {
  const removed = await trx
    .deleteFrom('annotations')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return removed !== undefined;
}
