/**
 * Experiments. Flag and environment are kept by name too, so that results stay readable after a flag is deleted. The latest
 * results are kept as they were computed, and for each day those of its last computation.
 */
export const experiments0016 = {
  id: 16,
  name: 'experiments',
  statements: [
    `CREATE TABLE experiments (
      id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
      environment_id uuid NOT NULL REFERENCES environments ON DELETE CASCADE, environment text NOT NULL,
      flag_id uuid REFERENCES flags ON DELETE SET NULL, flag text NOT NULL,
      key text NOT NULL, name text NOT NULL, definition jsonb NOT NULL, frozen jsonb,
      state text NOT NULL CHECK (state IN ('draft', 'running', 'stopped', 'archived')), version integer NOT NULL DEFAULT 1,
      started_at timestamptz, stopped_at timestamptz, winner text, winner_change_id uuid,
      created_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
      UNIQUE (project_id, key))`,
    `CREATE INDEX experiments_project ON experiments (project_id, id DESC)`,
    `CREATE INDEX experiments_open ON experiments (id) WHERE state IN ('running', 'stopped')`,
    `CREATE TABLE experiment_results (
      experiment_id uuid PRIMARY KEY REFERENCES experiments ON DELETE CASCADE,
      computed_at timestamptz NOT NULL, frozen boolean NOT NULL, results jsonb NOT NULL)`,
    `CREATE TABLE experiment_days (
      experiment_id uuid NOT NULL REFERENCES experiments ON DELETE CASCADE, day date NOT NULL,
      computed_at timestamptz NOT NULL, points jsonb NOT NULL, PRIMARY KEY (experiment_id, day))`,
  ],
} as const;
