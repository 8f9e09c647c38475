/** Flags, segments, targeting per environment, the version of each environment's ruleset, changes and ramps. */
export const flags0002 = {
  id: 2,
  name: 'flags',
  statements: [
    // `serve_version` counts changes common to all environments (variants, prerequisites, archiving); `version` counts
    // every write.
    `CREATE TABLE flags (
      id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE, key text NOT NULL, name text NOT NULL, description text NOT NULL DEFAULT '',
      kind text NOT NULL CHECK (kind IN ('boolean', 'string', 'number', 'json')), variants jsonb NOT NULL, default_variant text NOT NULL, off_variant text NOT NULL, tags text[] NOT NULL DEFAULT '{}',
      prerequisites jsonb NOT NULL DEFAULT '[]', temporary boolean NOT NULL DEFAULT true, archived boolean NOT NULL DEFAULT false, version integer NOT NULL DEFAULT 1, serve_version integer NOT NULL DEFAULT 1,
      created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), UNIQUE (project_id, key))`,
    // `flag_version` is this environment's part of the version in evaluation results: the sum with the flag's
    // serve_version.
    `CREATE TABLE flag_targeting (
      flag_id uuid NOT NULL REFERENCES flags ON DELETE CASCADE, environment_id uuid NOT NULL REFERENCES environments ON DELETE CASCADE, config jsonb NOT NULL, salt text NOT NULL,
      segments text[] NOT NULL DEFAULT '{}', version integer NOT NULL DEFAULT 1, flag_version integer NOT NULL DEFAULT 1, updated_at timestamptz NOT NULL DEFAULT now(),
      updated_by uuid REFERENCES users ON DELETE SET NULL, PRIMARY KEY (flag_id, environment_id))`,
    `CREATE INDEX flag_targeting_environment ON flag_targeting (environment_id)`,
    `CREATE TABLE segments (
      id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE, key text NOT NULL, name text NOT NULL, description text NOT NULL DEFAULT '',
      included_count integer NOT NULL DEFAULT 0, excluded_count integer NOT NULL DEFAULT 0, chunks integer NOT NULL DEFAULT 1, rules jsonb NOT NULL DEFAULT '[]',
      segments text[] NOT NULL DEFAULT '{}', version integer NOT NULL DEFAULT 1, created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
      updated_by uuid REFERENCES users ON DELETE SET NULL, UNIQUE (project_id, key))`,
    // The keys of a segment as JSON lists, by hash: adding one key to a million rewrites and reloads one chunk.
    `CREATE TABLE segment_keys (
      segment_id uuid NOT NULL REFERENCES segments ON DELETE CASCADE, list text NOT NULL CHECK (list IN ('included', 'excluded')), chunk integer NOT NULL, version integer NOT NULL, keys text NOT NULL,
      PRIMARY KEY (segment_id, list, chunk))`,
    `CREATE TABLE rulesets (
      environment_id uuid PRIMARY KEY REFERENCES environments ON DELETE CASCADE, version bigint NOT NULL DEFAULT 1, updated_at timestamptz NOT NULL DEFAULT now())`,
    `CREATE TABLE flag_ramps (
      flag_id uuid NOT NULL REFERENCES flags ON DELETE CASCADE, environment_id uuid NOT NULL REFERENCES environments ON DELETE CASCADE, id uuid NOT NULL UNIQUE, variant text NOT NULL, bucket_by text,
      steps jsonb NOT NULL, status text NOT NULL CHECK (status IN ('running', 'paused', 'completed', 'aborted')), step integer NOT NULL, step_started_at timestamptz NOT NULL, held_ms bigint NOT NULL DEFAULT 0,
      run integer NOT NULL DEFAULT 1, started_at timestamptz NOT NULL, started_by uuid REFERENCES users ON DELETE SET NULL, ended_at timestamptz, PRIMARY KEY (flag_id, environment_id))`,
    `CREATE TABLE flag_changes (
      id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE, kind text NOT NULL CHECK (kind IN ('targeting', 'flag', 'prerequisites', 'segment', 'ramp')),
      flag_id uuid REFERENCES flags ON DELETE CASCADE, segment_id uuid REFERENCES segments ON DELETE CASCADE, environment_id uuid REFERENCES environments ON DELETE CASCADE,
      status text NOT NULL CHECK (status IN ('pending', 'approved', 'scheduled', 'applied', 'rejected', 'cancelled', 'failed')), payload jsonb NOT NULL, diff jsonb NOT NULL, base_version integer NOT NULL,
      needs uuid[] NOT NULL DEFAULT '{}', comment text, apply_at timestamptz, created_at timestamptz NOT NULL, created_by uuid REFERENCES users ON DELETE SET NULL,
      reviewed_at timestamptz, reviewed_by uuid REFERENCES users ON DELETE SET NULL, review_comment text, applied_at timestamptz, failure text)`,
    `CREATE INDEX flag_changes_project ON flag_changes (project_id, id DESC)`,
    `CREATE INDEX flag_changes_flag ON flag_changes (flag_id, id DESC)`,
    `CREATE TABLE flag_history (
      id uuid PRIMARY KEY, flag_id uuid NOT NULL REFERENCES flags ON DELETE CASCADE, environment_id uuid REFERENCES environments ON DELETE CASCADE, at timestamptz NOT NULL,
      kind text NOT NULL CHECK (kind IN ('created', 'targeting', 'flag', 'prerequisites', 'ramp')), actor_type text NOT NULL, actor_id text, actor_name text NOT NULL, version integer NOT NULL, flag_version integer,
      comment text, diff jsonb NOT NULL, after jsonb, change_id uuid)`,
    `CREATE INDEX flag_history_flag ON flag_history (flag_id, id DESC)`,
  ],
} as const;
