import { sql } from 'kysely';

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
