/**
 * Everything between a change of an alert instance and a message to a channel. `alert_routing` counts the changes of a
 * workspace's policies. A group with members has a time of its next flush. `alert_group_sent` is what each channel was
 * last told about a group. Deliveries of one group to one channel are sent in the order of `flush`.
 */
export const notifications0012 = {
  id: 12,
  name: 'notifications',
  statements: [
    `CREATE TABLE alert_routing (workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE, revision bigint NOT NULL DEFAULT 1)`,
    `CREATE TABLE routing_policies (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, parent_id uuid REFERENCES routing_policies, name text NOT NULL, position integer NOT NULL,
      matchers jsonb NOT NULL, continues boolean NOT NULL, inherits_channels boolean NOT NULL, group_by jsonb, group_wait text, group_interval text, repeat_interval text,
      mute jsonb NOT NULL, active jsonb NOT NULL, version integer NOT NULL DEFAULT 1,
      created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL)`,
    `CREATE UNIQUE INDEX routing_policies_root ON routing_policies (workspace_id) WHERE parent_id IS NULL`,
    `CREATE INDEX routing_policies_workspace ON routing_policies (workspace_id)`,
    `CREATE INDEX routing_policies_parent ON routing_policies (parent_id)`,
    `CREATE TABLE policy_channels (
      policy_id uuid NOT NULL REFERENCES routing_policies ON DELETE CASCADE, channel_id uuid NOT NULL CONSTRAINT policy_channels_channel REFERENCES channels, position smallint NOT NULL,
      PRIMARY KEY (policy_id, channel_id))`,
    `CREATE INDEX policy_channels_of_channel ON policy_channels (channel_id)`,
    `CREATE TABLE silences (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, matchers jsonb NOT NULL, starts_at timestamptz NOT NULL, ends_at timestamptz NOT NULL, comment text NOT NULL,
      created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL)`,
    `CREATE INDEX silences_workspace ON silences (workspace_id, id DESC)`,
    `CREATE INDEX silences_end ON silences (workspace_id, ends_at)`,
    `CREATE TABLE inhibition_rules (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, name text NOT NULL, source jsonb NOT NULL, target jsonb NOT NULL, equal jsonb NOT NULL, version integer NOT NULL DEFAULT 1,
      created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL)`,
    `CREATE INDEX inhibition_rules_workspace ON inhibition_rules (workspace_id, id DESC)`,
    `CREATE TABLE alert_groups (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, policy_id uuid REFERENCES routing_policies ON DELETE SET NULL, key text NOT NULL, labels jsonb NOT NULL,
      next_flush_at timestamptz, flushes integer NOT NULL DEFAULT 0, epoch bigint NOT NULL DEFAULT 0, holder text, lease_until timestamptz,
      created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL)`,
    `CREATE UNIQUE INDEX alert_groups_key ON alert_groups (policy_id, key)`,
    `CREATE INDEX alert_groups_due ON alert_groups (next_flush_at) WHERE next_flush_at IS NOT NULL`,
    `CREATE INDEX alert_groups_workspace ON alert_groups (workspace_id)`,
    `CREATE TABLE alert_group_members (
      group_id uuid NOT NULL REFERENCES alert_groups ON DELETE CASCADE, instance_id uuid NOT NULL, has_left boolean NOT NULL DEFAULT false, gone jsonb,
      PRIMARY KEY (group_id, instance_id))`,
    `CREATE INDEX alert_group_members_instance ON alert_group_members (instance_id)`,
    `CREATE TABLE alert_group_sent (
      group_id uuid NOT NULL REFERENCES alert_groups ON DELETE CASCADE, channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE, firing jsonb NOT NULL, resolved jsonb NOT NULL, at timestamptz NOT NULL,
      PRIMARY KEY (group_id, channel_id))`,
    `CREATE TABLE notification_deliveries (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, group_id uuid NOT NULL REFERENCES alert_groups ON DELETE CASCADE, channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
      flush integer NOT NULL, idempotency_key text NOT NULL, reason text NOT NULL, body text NOT NULL, notification jsonb NOT NULL, fallback_for uuid, hops smallint NOT NULL DEFAULT 0,
      status text NOT NULL, attempt integer NOT NULL DEFAULT 0, next_try_at timestamptz NOT NULL, give_up_at timestamptz, lease_epoch bigint NOT NULL DEFAULT 0, holder text, lease_until timestamptz,
      answer_status integer, answer text, error text, created_at timestamptz NOT NULL, finished_at timestamptz)`,
    `CREATE UNIQUE INDEX notification_deliveries_key ON notification_deliveries (idempotency_key)`,
    `CREATE INDEX notification_deliveries_due ON notification_deliveries (next_try_at) WHERE status = 'pending'`,
    `CREATE INDEX notification_deliveries_order ON notification_deliveries (group_id, channel_id, flush) WHERE status = 'pending'`,
    `CREATE INDEX notification_deliveries_channel ON notification_deliveries (channel_id)`,
    `CREATE INDEX notification_deliveries_finished ON notification_deliveries (finished_at)`,
    `CREATE TABLE delivery_instances (
      delivery_id uuid NOT NULL REFERENCES notification_deliveries ON DELETE CASCADE, instance_id uuid NOT NULL, PRIMARY KEY (instance_id, delivery_id))`,
    `CREATE INDEX delivery_instances_delivery ON delivery_instances (delivery_id)`,
  ],
} as const;
