/**
 * Channels that notifications are sent through. `secrets` is encrypted text; `config` is the rest. A channel that
 * another row names cannot be deleted, as a fallback or by the tables of routing.
 */
export const channels0011 = {
  id: 11,
  name: 'channels',
  statements: [
    `CREATE TABLE channels (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, name text NOT NULL, kind text NOT NULL, config jsonb NOT NULL, secrets text,
      send_resolved boolean NOT NULL, fallback uuid CONSTRAINT channels_fallback REFERENCES channels, version integer NOT NULL DEFAULT 1,
      health text NOT NULL DEFAULT 'unknown', health_error text, health_since timestamptz,
      created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL)`,
    `CREATE UNIQUE INDEX channels_name ON channels (workspace_id, lower(name))`,
    `CREATE INDEX channels_of_fallback ON channels (fallback)`,
  ],
} as const;
