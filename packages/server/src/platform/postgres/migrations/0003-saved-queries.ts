/** Saved queries and the query history. */
export const savedQueries0003 = {
  id: 3,
  name: 'saved-queries',
  statements: [
    `CREATE TABLE saved_queries (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, project_id uuid REFERENCES projects ON DELETE CASCADE, environment text, name text NOT NULL, description text NOT NULL,
      query text NOT NULL, window_from text, window_to text, tags text[] NOT NULL DEFAULT '{}', created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL)`,
    `CREATE INDEX saved_queries_workspace ON saved_queries (workspace_id, id DESC)`,
    // No foreign keys: runs are written in batches after the queries, and one whose workspace was removed must not
    // block the others.
    `CREATE TABLE query_runs (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL, project_id uuid, environment text, user_id uuid NOT NULL, user_name text NOT NULL, token_id uuid, token_name text, at timestamptz NOT NULL, query text NOT NULL,
      window_from timestamptz, window_to timestamptz, status text NOT NULL CHECK (status IN ('ok', 'failed', 'cancelled')), error text, took_ms bigint NOT NULL, rows_read bigint NOT NULL, bytes_read bigint NOT NULL,
      result_rows integer NOT NULL, truncated boolean NOT NULL)`,
    `CREATE INDEX query_runs_workspace ON query_runs (workspace_id, id DESC)`,
    `CREATE INDEX query_runs_user ON query_runs (workspace_id, user_id, id DESC)`,
  ],
} as const;
