import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FlagPlace, RunningRow } from './question.ts';

/** Changes of what flags serve, latest first. */
export async function listFlagChanges(
  db: Executor,
  { workspaceId, project, readable, environment }: FlagPlace,
  { from, to }: { readonly from: Date; readonly to: Date },
  limit: number,
) {
  if (readable?.length === 0) return [];
  let query = db
    .selectFrom('flag_history as h')
    .innerJoin('flags as f', 'f.id', 'h.flag_id')
    .innerJoin('projects as p', 'p.id', 'f.project_id')
    .leftJoin('environments as e', 'e.id', 'h.environment_id')
    .select(['h.at', 'h.kind', 'h.diff', 'f.key as flag', 'e.key as environment'])
    .where('p.workspace_id', '=', workspaceId)
    .where('p.deleted_at', 'is', null)
    .where((eb) => eb.or([eb('h.environment_id', 'is', null), eb('e.deleted_at', 'is', null)]))
    .where('h.kind', '!=', 'created')
    .where('h.at', '>=', from)
    .where('h.at', '<', to)
    .orderBy('h.at', 'desc')
    .orderBy('h.id', 'desc')
    .limit(limit);
  if (project !== undefined) query = query.where('p.id', '=', project.id);
  if (readable !== undefined) query = query.where('p.id', 'in', [...readable]);
  if (environment !== undefined)
    query = query.where((eb) => eb.or([eb('h.environment_id', 'is', null), eb('e.key', '=', environment)]));
  return query.execute();
}

/** The experiments, guarded releases and ramps that run on flags. */
export async function listRunning(
  db: Executor,
  { workspaceId, project, readable, environment }: FlagPlace,
  flags: readonly string[],
): Promise<RunningRow[]> {
  if (flags.length === 0 || readable?.length === 0) return [];
  const { rows } = await sql<RunningRow>`
    SELECT r.kind, r.id, r.name, f.key AS flag, p.key AS project, e.key AS environment FROM (
      SELECT 'experiment' AS kind, id, name, flag_id, environment_id FROM experiments WHERE state = 'running'
      UNION ALL
      SELECT 'guarded_release', id, 'Guarded release', flag_id, environment_id FROM guarded_releases
      WHERE state IN ('armed', 'monitoring')
      UNION ALL
      SELECT 'ramp', id, 'Ramp', flag_id, environment_id FROM flag_ramps WHERE status IN ('running', 'paused')) AS r
    JOIN flags AS f ON f.id = r.flag_id
    JOIN projects AS p ON p.id = f.project_id
    JOIN environments AS e ON e.id = r.environment_id
    WHERE p.workspace_id = ${workspaceId} AND p.deleted_at IS NULL AND e.deleted_at IS NULL
      AND f.key = ANY(${[...flags]}::text[])
      AND (${project?.id ?? null}::uuid IS NULL OR p.id = ${project?.id ?? null}::uuid)
      AND (${environment ?? null}::text IS NULL OR e.key = ${environment ?? null}::text)
      AND (${readable === undefined} OR p.id = ANY(${[...(readable ?? [])]}::uuid[]))
    ORDER BY f.key, e.key, r.kind, r.id`.execute(db);
  return rows;
}
