/** Flags, what they serve in each environment, and the version of each environment's ruleset. */
export const flags0002 = {
  id: 2,
  name: 'flags',
  statements: [
    `CREATE TABLE flags (
      id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE, key text NOT NULL, name text NOT NULL, description text NOT NULL DEFAULT '',
      kind text NOT NULL CHECK (kind IN ('boolean', 'string', 'number', 'json')), variants jsonb NOT NULL, default_variant text NOT NULL, off_variant text NOT NULL, tags text[] NOT NULL DEFAULT '{}',
      temporary boolean NOT NULL DEFAULT true, archived boolean NOT NULL DEFAULT false, version integer NOT NULL DEFAULT 1, created_by uuid REFERENCES users ON DELETE SET NULL,
      created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), UNIQUE (project_id, key))`,
    `CREATE TABLE flag_targeting (
      flag_id uuid NOT NULL REFERENCES flags ON DELETE CASCADE, environment_id uuid NOT NULL REFERENCES environments ON DELETE CASCADE, config jsonb NOT NULL, salt text NOT NULL,
      version integer NOT NULL DEFAULT 1, flag_version integer NOT NULL DEFAULT 1, updated_at timestamptz NOT NULL DEFAULT now(), updated_by uuid REFERENCES users ON DELETE SET NULL, PRIMARY KEY (flag_id, environment_id))`,
    `CREATE INDEX flag_targeting_environment ON flag_targeting (environment_id)`,
    `CREATE TABLE rulesets (
      environment_id uuid PRIMARY KEY REFERENCES environments ON DELETE CASCADE, version bigint NOT NULL DEFAULT 1, updated_at timestamptz NOT NULL DEFAULT now())`,
  ],
} as const;
