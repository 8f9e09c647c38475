/**
 * Removed places whose telemetry is being deleted. Their telemetry answers nobody from the commit on, and the deletion goes on over
 * restarts. Removals that an earlier version began continue.
 */
export const telemetryRemovals0031 = {
  id: 31,
  name: 'telemetry removals',
  statements: [
    `CREATE TABLE telemetry_removals (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, workspace integer NOT NULL,
      project_id uuid REFERENCES projects ON DELETE CASCADE, project integer, environment text, key text NOT NULL, name text NOT NULL,
      removed_at timestamptz NOT NULL, sweep_at timestamptz, next_table integer NOT NULL DEFAULT 0, parts_left integer, swept boolean NOT NULL DEFAULT false,
      finished_at timestamptz)`,
    `CREATE INDEX telemetry_removals_workspace ON telemetry_removals (workspace_id, removed_at DESC)`,
    `INSERT INTO telemetry_removals (id, workspace_id, workspace, project_id, project, environment, key, name, removed_at)
     SELECT place.id, w.id, w.number, p.id, p.number, e.key, coalesce(e.key, p.key, w.slug), coalesce(e.name, p.name, w.name),
       (place.payload ->> 'removed_at')::timestamptz
     FROM (SELECT substring(name FROM 18)::uuid AS id, payload FROM jobs WHERE kind = 'telemetry.remove') AS place
     JOIN workspaces AS w ON w.number = (place.payload ->> 'workspace')::integer
     LEFT JOIN projects AS p ON p.number = (place.payload ->> 'project')::integer
     LEFT JOIN environments AS e ON e.id = place.id`,
  ],
} as const;
