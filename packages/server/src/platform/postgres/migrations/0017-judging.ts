/**
 * Metrics of projects; what holds the fallthrough of a flag in an environment in place of its targeting (a guarded release or
 * an experiment); guarded releases, one per flag and environment, with the events of their looks.
 */
export const judging0017 = {
  id: 17,
  name: 'judging',
  statements: [
    `CREATE TABLE flag_metrics (
      id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
      key text NOT NULL, name text NOT NULL, definition jsonb NOT NULL, version integer NOT NULL DEFAULT 1,
      created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
      UNIQUE (project_id, key))`,
    `CREATE TABLE flag_holds (
      flag_id uuid NOT NULL REFERENCES flags ON DELETE CASCADE, environment_id uuid NOT NULL REFERENCES environments ON DELETE CASCADE,
      kind text NOT NULL, holder_id uuid NOT NULL, rollout jsonb NOT NULL, held_at timestamptz NOT NULL,
      PRIMARY KEY (flag_id, environment_id))`,
    `CREATE TABLE guarded_releases (
      flag_id uuid NOT NULL REFERENCES flags ON DELETE CASCADE, environment_id uuid NOT NULL REFERENCES environments ON DELETE CASCADE,
      id uuid NOT NULL UNIQUE, definition jsonb NOT NULL, frozen jsonb, state text NOT NULL, version integer NOT NULL DEFAULT 1,
      run integer NOT NULL DEFAULT 0, step integer NOT NULL DEFAULT 0, step_started_at timestamptz, looks integer NOT NULL DEFAULT 0,
      last_look jsonb, looked_at timestamptz, paused_reason text,
      armed_at timestamptz, armed_by uuid REFERENCES users ON DELETE SET NULL, ended_at timestamptz, ended_reason text,
      created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
      PRIMARY KEY (flag_id, environment_id))`,
    `CREATE INDEX guarded_releases_active ON guarded_releases (id) WHERE state IN ('armed', 'monitoring')`,
    `CREATE TABLE guarded_release_events (
      id uuid PRIMARY KEY, release_id uuid NOT NULL REFERENCES guarded_releases (id) ON DELETE CASCADE,
      at timestamptz NOT NULL, run integer NOT NULL, look integer NOT NULL, kind text NOT NULL, step integer NOT NULL, weight integer NOT NULL,
      reason text NOT NULL, numbers jsonb)`,
    `CREATE INDEX guarded_release_events_release ON guarded_release_events (release_id, id DESC)`,
    `ALTER TABLE flag_changes DROP CONSTRAINT flag_changes_kind_check, ADD CONSTRAINT flag_changes_kind_check
      CHECK (kind IN ('targeting', 'flag', 'prerequisites', 'segment', 'ramp', 'guarded_release', 'experiment'))`,
    `ALTER TABLE flag_history DROP CONSTRAINT flag_history_kind_check, ADD CONSTRAINT flag_history_kind_check
      CHECK (kind IN ('created', 'targeting', 'flag', 'prerequisites', 'ramp', 'guarded_release', 'experiment'))`,
  ],
} as const;
