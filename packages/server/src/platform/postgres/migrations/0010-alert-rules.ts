/**
 * Alert rules, their instances, and what became of these. Rules are spread over 16 shards; whoever holds the lease of a
 * shard evaluates its rules. `revision` counts changes of a shard's rules, so that its holder knows when to read them again.
 */
export const alertRules0010 = {
  id: 10,
  name: 'alert-rules',
  statements: [
    `CREATE TABLE alert_shards (
      shard smallint PRIMARY KEY, epoch bigint NOT NULL DEFAULT 0, holder text, lease_until timestamptz, revision bigint NOT NULL DEFAULT 0, evaluated_at timestamptz)`,
    `CREATE TABLE alert_rules (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE, environment text,
      shard smallint NOT NULL, name text NOT NULL, query text NOT NULL, definition jsonb NOT NULL, enabled boolean NOT NULL, version integer NOT NULL DEFAULT 1,
      evaluated_at timestamptz, last_error text, missed bigint NOT NULL DEFAULT 0,
      created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL)`,
    `CREATE INDEX alert_rules_workspace ON alert_rules (workspace_id, id DESC)`,
    `CREATE INDEX alert_rules_shard ON alert_rules (shard)`,
    `CREATE TABLE alert_instances (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL, rule_id uuid NOT NULL REFERENCES alert_rules ON DELETE CASCADE, identity text NOT NULL, labels jsonb NOT NULL, state text NOT NULL, value double precision,
      active_since timestamptz, fired_at timestamptz, resolved_at timestamptz, recovering_since timestamptz, missed integer NOT NULL, turns jsonb NOT NULL, updated_at timestamptz NOT NULL)`,
    `CREATE UNIQUE INDEX alert_instances_identity ON alert_instances (rule_id, identity)`,
    `CREATE INDEX alert_instances_workspace ON alert_instances (workspace_id, id DESC)`,
    `CREATE TABLE alert_transitions (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL, rule_id uuid NOT NULL REFERENCES alert_rules ON DELETE CASCADE, instance_id uuid NOT NULL REFERENCES alert_instances ON DELETE CASCADE,
      at timestamptz NOT NULL, from_state text NOT NULL, to_state text NOT NULL, value double precision, reason text)`,
    `CREATE INDEX alert_transitions_instance ON alert_transitions (instance_id, at DESC)`,
  ],
} as const;
