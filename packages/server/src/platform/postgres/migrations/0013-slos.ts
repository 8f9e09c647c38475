const place = `id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE, environment text,
      name text NOT NULL, definition jsonb NOT NULL, version integer NOT NULL DEFAULT 1, revision integer NOT NULL DEFAULT 1`;
const author = `created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL`;

/**
 * SLOs and recording rules. `revision` counts changes of what is counted or written, `version` all changes. A back-fill goes from
 * `backfill_to` down to `backfill_from` and has reached `backfill_at`.
 */
export const slos0013 = {
  id: 13,
  name: 'slos',
  statements: [
    `CREATE TABLE slos (${place},
      derived_to timestamptz NOT NULL, last_error text,
      backfill_from timestamptz NOT NULL, backfill_to timestamptz NOT NULL, backfill_at timestamptz NOT NULL, backfill_error text, ${author})`,
    `CREATE INDEX slos_workspace ON slos (workspace_id, id DESC)`,
    `CREATE INDEX slos_backfill ON slos (id) WHERE backfill_at > backfill_from AND backfill_error IS NULL`,
    `ALTER TABLE alert_rules ADD COLUMN slo_id uuid REFERENCES slos ON DELETE CASCADE`,
    `CREATE INDEX alert_rules_slo ON alert_rules (slo_id) WHERE slo_id IS NOT NULL`,
    `CREATE TABLE recording_rules (${place},
      every_ms bigint NOT NULL, offset_ms bigint NOT NULL, rule_group text NOT NULL, position integer NOT NULL, enabled boolean NOT NULL,
      watermark timestamptz NOT NULL, pending_to timestamptz, missed bigint NOT NULL DEFAULT 0, last_error text, retry_at timestamptz,
      backfill_from timestamptz, backfill_to timestamptz, backfill_at timestamptz, backfill_error text, ${author})`,
    `CREATE INDEX recording_rules_workspace ON recording_rules (workspace_id, id DESC)`,
    `CREATE INDEX recording_rules_due ON recording_rules (watermark) WHERE enabled`,
  ],
} as const;
