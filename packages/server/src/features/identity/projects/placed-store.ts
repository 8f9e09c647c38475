import { type RawBuilder, sql } from 'kysely';

/**
 * Whether the place of a row `r` exists, with its project `p` and its workspace `w`: what is about a removed project or
 * environment went with it.
 */
export const placeExists = sql<boolean>`(p.deleted_at IS NULL AND w.deleted_at IS NULL AND (r.environment IS NULL OR EXISTS (
  SELECT 1 FROM environments e WHERE e.project_id = r.project_id AND e.key = r.environment AND e.deleted_at IS NULL)))`;

/** The names of the place of a row. */
export const placeNames = ['p.key as project', 'p.number as project_number', 'w.number as workspace_number'] as const;

/** What a list of rows with a place is narrowed to. */
export interface PlacedFilter {
  readonly projectId: string | undefined;
  readonly environment: string | undefined;
  readonly search: string | undefined;
}

/** Whether a row `r` is at a place, and has a text in its name or in what else is searched. */
export function isListed(
  { projectId, environment, search }: PlacedFilter,
  searched: RawBuilder<string>,
): RawBuilder<boolean> {
  const conditions = [sql`TRUE`];
  if (projectId !== undefined) conditions.push(sql`r.project_id = ${projectId}`);
  if (environment !== undefined) conditions.push(sql`r.environment = ${environment}`);
  if (search !== undefined && search !== '')
    conditions.push(sql`position(lower(${search}) in lower(r.name || ' ' || ${searched})) > 0`);
  return sql<boolean>`(${sql.join(conditions, sql` AND `)})`;
}
