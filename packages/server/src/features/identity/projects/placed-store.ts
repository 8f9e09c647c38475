import { type RawBuilder, type Selectable, sql } from 'kysely';

/**
 * Whether the place of a row `r` exists, with its project `p` and its workspace `w`: what is about a removed project or
 * environment went with it.
 */
export const placeExists = sql<boolean>`(p.deleted_at IS NULL AND w.deleted_at IS NULL AND (r.environment IS NULL OR EXISTS (
  SELECT 1 FROM environments e WHERE e.project_id = r.project_id AND e.key = r.environment AND e.deleted_at IS NULL)))`;

/** The names of the place, and of the user who created the row. */
export const placeNames = [
  'p.key as project',
  'p.number as project_number',
  'w.number as workspace_number',
  'u.name as created_by_name',
] as const;

/** A row of a table, with these names. */
export type Placed<Table> = Selectable<Table> & {
  readonly project: string;
  readonly project_number: number;
  readonly workspace_number: number;
  readonly created_by_name: string | null;
};

/** What a list of rows with a place is narrowed to. */
export interface PlacedFilter {
  readonly projectId: string | undefined;
  readonly environment: string | undefined;
  readonly search: string | undefined;
}

/**
 * Whether a list, newest first, shows a row `r` of a workspace: at a place, with a text in what is searched, and after the
 * last row of the page before.
 */
export function isListed(
  workspaceId: string,
  { projectId, environment, search }: PlacedFilter,
  after: string | undefined,
  searched: RawBuilder<string>,
): RawBuilder<boolean> {
  const conditions = [sql`r.workspace_id = ${workspaceId}`];
  if (projectId !== undefined) conditions.push(sql`r.project_id = ${projectId}`);
  if (environment !== undefined) conditions.push(sql`r.environment = ${environment}`);
  if (search !== undefined && search !== '')
    conditions.push(sql`position(lower(${search}) in lower(r.name || ' ' || ${searched})) > 0`);
  if (after !== undefined) conditions.push(sql`r.id < ${after}`);
  return sql<boolean>`(${sql.join(conditions, sql` AND `)})`;
}
