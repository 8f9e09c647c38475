/** Accounts, workspaces, access, tokens, audit, and the platform's own tables. */
export const controlPlane0001 = {
  id: 1,
  name: 'control-plane',
  statements: [
    `CREATE TABLE users (
      id uuid PRIMARY KEY, email text NOT NULL UNIQUE CHECK (email = lower(email)), name text NOT NULL, password_hash text,
      created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now())`,
    `CREATE TABLE identities (
      issuer text NOT NULL, subject text NOT NULL, user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE, slug text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (issuer, subject))`,
    `CREATE INDEX identities_user ON identities (user_id)`,
    `CREATE TABLE sessions (
      id_hash bytea PRIMARY KEY, user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE, created_at timestamptz NOT NULL DEFAULT now(),
      last_seen_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL, ip text, user_agent text)`,
    `CREATE INDEX sessions_user ON sessions (user_id)`,
    `CREATE INDEX sessions_expiry ON sessions (expires_at)`,
    `CREATE TABLE attempts (
      kind text NOT NULL, subject text NOT NULL, window_start timestamptz NOT NULL, attempts integer NOT NULL DEFAULT 0, PRIMARY KEY (kind, subject, window_start))`,
    `CREATE INDEX attempts_age ON attempts (window_start)`,
    `CREATE TABLE oidc_flows (
      state_hash bytea PRIMARY KEY, browser_hash bytea NOT NULL, slug text NOT NULL, nonce text NOT NULL, code_verifier text NOT NULL, return_to text NOT NULL, expires_at timestamptz NOT NULL)`,
    // `number` stands for the UUID in the telemetry store: from a sequence, so it is never reused.
    `CREATE TABLE workspaces (
      id uuid PRIMARY KEY, number integer GENERATED ALWAYS AS IDENTITY UNIQUE, slug text NOT NULL, name text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz)`,
    `CREATE UNIQUE INDEX workspaces_slug ON workspaces (slug) WHERE deleted_at IS NULL`,
    `CREATE TABLE roles (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, key text, name text NOT NULL, description text NOT NULL DEFAULT '',
      permissions text[] NOT NULL, version integer NOT NULL DEFAULT 1, created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now())`,
    `CREATE UNIQUE INDEX roles_name ON roles (workspace_id, lower(name))`,
    `CREATE UNIQUE INDEX roles_key ON roles (workspace_id, key) WHERE key IS NOT NULL`,
    `CREATE TABLE members (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      role_id uuid NOT NULL REFERENCES roles, created_at timestamptz NOT NULL DEFAULT now(), UNIQUE (workspace_id, user_id))`,
    `CREATE INDEX members_user ON members (user_id)`,
    `CREATE INDEX members_role ON members (role_id)`,
    `CREATE TABLE projects (
      id uuid PRIMARY KEY, number integer GENERATED ALWAYS AS IDENTITY UNIQUE, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      key text NOT NULL, name text NOT NULL, retention jsonb NOT NULL DEFAULT '{}', created_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz)`,
    `CREATE UNIQUE INDEX projects_key ON projects (workspace_id, key) WHERE deleted_at IS NULL`,
    `CREATE TABLE environments (
      id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE, key text NOT NULL, name text NOT NULL,
      requires_approval boolean NOT NULL DEFAULT false, created_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz)`,
    `CREATE UNIQUE INDEX environments_key ON environments (project_id, key) WHERE deleted_at IS NULL`,
    `CREATE TABLE grants (
      member_id uuid NOT NULL REFERENCES members ON DELETE CASCADE, project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
      environment_id uuid REFERENCES environments ON DELETE CASCADE, role_id uuid NOT NULL REFERENCES roles)`,
    `CREATE UNIQUE INDEX grants_scope ON grants (member_id, project_id, coalesce(environment_id, '00000000-0000-0000-0000-000000000000'))`,
    `CREATE INDEX grants_role ON grants (role_id)`,
    `CREATE TABLE invitations (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, email text NOT NULL, role_id uuid NOT NULL REFERENCES roles,
      token_hash bytea NOT NULL UNIQUE, invited_by uuid REFERENCES users ON DELETE SET NULL, created_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL, accepted_at timestamptz)`,
    `CREATE INDEX invitations_workspace ON invitations (workspace_id, id)`,
    `CREATE UNIQUE INDEX invitations_pending ON invitations (workspace_id, email) WHERE accepted_at IS NULL`,
    `CREATE INDEX invitations_email ON invitations (email)`,
    `CREATE TABLE api_tokens (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE, name text NOT NULL,
      prefix text NOT NULL, secret_hash bytea NOT NULL UNIQUE, permissions text[] NOT NULL, project_id uuid REFERENCES projects ON DELETE CASCADE, environment_id uuid REFERENCES environments ON DELETE CASCADE,
      expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz, created_at timestamptz NOT NULL DEFAULT now())`,
    `CREATE INDEX api_tokens_workspace ON api_tokens (workspace_id, id)`,
    `CREATE TABLE sdk_keys (
      id uuid PRIMARY KEY, workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
      environment_id uuid NOT NULL REFERENCES environments ON DELETE CASCADE, name text NOT NULL, kind text NOT NULL CHECK (kind IN ('server', 'client')), allowed_origins text[] NOT NULL,
      prefix text NOT NULL, secret_hash bytea NOT NULL UNIQUE, created_by uuid REFERENCES users ON DELETE SET NULL, last_used_at timestamptz, revoked_at timestamptz, created_at timestamptz NOT NULL DEFAULT now())`,
    `CREATE INDEX sdk_keys_workspace ON sdk_keys (workspace_id, id)`,
    `CREATE INDEX sdk_keys_environment ON sdk_keys (environment_id)`,
    `CREATE TABLE services (
      workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE, name text NOT NULL, display_name text, owner text, team text, runbook_url text, repository_url text, tier text,
      tags text[] NOT NULL DEFAULT '{}', updated_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (workspace_id, name))`,
    // No foreign keys: the log outlives its subjects.
    `CREATE TABLE audit_entries (
      id uuid PRIMARY KEY, workspace_id uuid, at timestamptz NOT NULL DEFAULT now(), action text NOT NULL, actor_type text NOT NULL, actor_id text, actor_name text NOT NULL,
      resource_type text NOT NULL, resource_id text NOT NULL, resource_name text, project_id uuid, environment_id uuid, before jsonb, after jsonb, ip text, request_id text)`,
    `CREATE INDEX audit_entries_workspace ON audit_entries (workspace_id, id DESC)`,
    `CREATE TABLE idempotency_keys (
      caller text NOT NULL, key text NOT NULL, request_hash bytea NOT NULL, state text NOT NULL, status integer, body text, created_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL, PRIMARY KEY (caller, key))`,
    `CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at)`,
    `CREATE TABLE outbox (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, txid xid8 NOT NULL DEFAULT pg_current_xact_id(), topic text NOT NULL, key text NOT NULL, payload jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now())`,
    `CREATE INDEX outbox_transaction ON outbox (txid)`,
    `CREATE INDEX outbox_age ON outbox (created_at)`,
    `CREATE TABLE jobs (
      name text PRIMARY KEY, kind text NOT NULL, payload jsonb NOT NULL DEFAULT 'null', every_ms bigint, next_run_at timestamptz NOT NULL, lease_until timestamptz, lease_epoch bigint NOT NULL DEFAULT 0, holder text, failures integer NOT NULL DEFAULT 0, last_error text, last_run_at timestamptz)`,
    // From one sequence, so that a job created again under an old name never repeats an epoch.
    `CREATE SEQUENCE job_epochs`,
    `CREATE INDEX jobs_due ON jobs (next_run_at)`,
    `CREATE TABLE replicas (
      id uuid PRIMARY KEY, started_at timestamptz NOT NULL DEFAULT now(), seen_at timestamptz NOT NULL DEFAULT now(), roles text NOT NULL, telemetry_store text NOT NULL, version text NOT NULL)`,
  ],
} as const;
