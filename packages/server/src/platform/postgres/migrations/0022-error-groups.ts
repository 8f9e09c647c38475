/**
 * What people decided about errors. The errors themselves are found in telemetry; their ids are hashes of type and stack.
 * Built-in roles are rows, so those that existed before get the new permission here.
 */
export const errorGroups0022 = {
  id: 22,
  name: 'error-groups',
  statements: [
    `CREATE TABLE error_group_states (
      project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE, group_id text NOT NULL,
      state text NOT NULL CHECK (state IN ('open', 'resolved', 'ignored')), comment text,
      changed_at timestamptz NOT NULL, changed_by uuid REFERENCES users ON DELETE SET NULL, changed_by_name text NOT NULL,
      PRIMARY KEY (project_id, group_id))`,
    `UPDATE roles SET permissions = array_append(permissions, 'errors:write'), version = version + 1, updated_at = now()
      WHERE key IN ('owner', 'admin', 'editor') AND NOT 'errors:write' = ANY (permissions)`,
  ],
} as const;
