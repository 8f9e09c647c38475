import { sql } from 'kysely';
import type { Executor } from '../../platform/postgres/database.ts';

/** Applied changes of a project's flags, the newest first; with an environment, those that it could notice. */
export async function listFlagChanges(
  db: Executor,
  { projectId, environment }: { projectId: string; environment: string | null },
  { from, to }: { from: Date; to: Date },
  limit: number,
) {
  let query = db
    .selectFrom('flag_history as h')
    .innerJoin('flags as f', 'f.id', 'h.flag_id')
    .leftJoin('environments as e', 'e.id', 'h.environment_id')
    .select(['h.at', 'h.kind', 'h.comment', 'h.actor_name', 'f.key as flag', 'e.key as environment'])
    .where('f.project_id', '=', projectId)
    .where('h.at', '>=', from)
    .where('h.at', '<=', to)
    .orderBy('h.at', 'desc')
    .limit(limit);
  if (environment !== null) query = query.where(sql<boolean>`(h.environment_id IS NULL OR e.key = ${environment})`);
  const rows = await query.execute();
  return rows.map(({ at, kind, comment, actor_name, flag, environment: place }) => ({
    time: at.toISOString(),
    kind: 'flag' as const,
    name: flag,
    detail: comment === null || comment === '' ? kind : `${kind}: ${comment}`,
    environment: place,
    actor: actor_name,
  }));
}
