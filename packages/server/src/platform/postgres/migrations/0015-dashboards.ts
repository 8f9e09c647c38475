const place = `id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, project_id uuid REFERENCES projects ON DELETE CASCADE, environment text`;

/**
 * Dashboards with their versions, and annotations that people write. The two indexes on other tables are for annotations
 * that are read from there: changes of flags and transitions of alerts by time.
 */
export const dashboards0015 = {
  id: 15,
  name: 'dashboards',
  statements: [
    `CREATE TABLE dashboards (${place}, name text NOT NULL, model jsonb NOT NULL, version integer NOT NULL DEFAULT 1, source text,
      created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL, updated_by uuid REFERENCES users ON DELETE SET NULL, updated_at timestamptz NOT NULL)`,
    `CREATE INDEX dashboards_workspace ON dashboards (workspace_id, id DESC)`,
    `CREATE TABLE dashboard_versions (
      dashboard_id uuid NOT NULL REFERENCES dashboards ON DELETE CASCADE, version integer NOT NULL, model jsonb NOT NULL, comment text,
      author_id uuid, author_name text NOT NULL, created_at timestamptz NOT NULL, PRIMARY KEY (dashboard_id, version))`,
    `CREATE TABLE annotations (${place}, service text, time timestamptz NOT NULL, end_time timestamptz, text text NOT NULL, tags text[] NOT NULL DEFAULT '{}',
      created_by uuid REFERENCES users ON DELETE SET NULL, created_by_name text NOT NULL, created_at timestamptz NOT NULL)`,
    `CREATE INDEX annotations_workspace ON annotations (workspace_id, time DESC)`,
    `CREATE INDEX flag_history_at ON flag_history (at)`,
    `CREATE INDEX alert_transitions_at ON alert_transitions (workspace_id, at)`,
  ],
} as const;
