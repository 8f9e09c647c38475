/** Dashboards with the data that they had at a time. */
export const dashboardSnapshots0020 = {
  id: 20,
  name: 'dashboard snapshots',
  statements: [
    `CREATE TABLE dashboard_snapshots (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, dashboard_id uuid REFERENCES dashboards ON DELETE SET NULL,
      project_id uuid REFERENCES projects ON DELETE CASCADE, environment text, name text NOT NULL, version integer NOT NULL, model jsonb NOT NULL,
      variables jsonb NOT NULL, from_time timestamptz NOT NULL, to_time timestamptz NOT NULL, data bytea NOT NULL, bytes integer NOT NULL,
      created_by uuid REFERENCES users ON DELETE SET NULL, created_by_name text NOT NULL, created_at timestamptz NOT NULL, expires_at timestamptz NOT NULL)`,
    `CREATE INDEX dashboard_snapshots_workspace ON dashboard_snapshots (workspace_id, id DESC)`,
    `CREATE INDEX dashboard_snapshots_expiry ON dashboard_snapshots (expires_at)`,
  ],
} as const;
