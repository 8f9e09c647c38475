import type { ColumnType, Generated } from 'kysely';

/** Tables of the control plane, as Kysely sees them. Column names are the API's field names wherever a field exists. */
export interface ControlPlane {
  users: UserTable;
  identities: IdentityTable;
  sessions: SessionTable;
  attempts: AttemptTable;
  oidc_flows: OidcFlowTable;
  workspaces: WorkspaceTable;
  roles: RoleTable;
  members: MemberTable;
  grants: GrantTable;
  invitations: InvitationTable;
  projects: ProjectTable;
  environments: EnvironmentTable;
  api_tokens: ApiTokenTable;
  sdk_keys: SdkKeyTable;
  services: ServiceTable;
  audit_entries: AuditEntryTable;
  idempotency_keys: IdempotencyKeyTable;
  outbox: OutboxTable;
  jobs: JobTable;
  replicas: ReplicaTable;
  flags: FlagTable;
  flag_targeting: FlagTargetingTable;
  rulesets: RulesetTable;
  segments: SegmentTable;
  segment_keys: SegmentKeysTable;
  flag_ramps: FlagRampTable;
  flag_changes: FlagChangeTable;
  flag_history: FlagHistoryTable;
  saved_queries: SavedQueryTable;
  query_runs: QueryRunTable;
}

type Now = ColumnType<Date, Date | undefined, Date>;
type Json<T> = ColumnType<T, string, string>;

export interface UserTable {
  id: string;
  email: string;
  name: string;
  password_hash: string | null;
  created_at: Now;
  updated_at: Now;
}
/** Who an account is at a provider: issuer and subject, never the e-mail address. */
export interface IdentityTable {
  issuer: string;
  subject: string;
  user_id: string;
  slug: string;
  created_at: Now;
}
export interface SessionTable {
  id_hash: Buffer;
  user_id: string;
  created_at: Now;
  last_seen_at: Now;
  expires_at: Date;
  ip: string | null;
  user_agent: string | null;
}
/** Failed attempts per window; `kind` names what is counted (`login:account`, `login:address` …). */
export interface AttemptTable {
  kind: string;
  subject: string;
  window_start: Date;
  attempts: number;
}
export interface OidcFlowTable {
  state_hash: Buffer;
  /** Of the cookie of the browser that began: only there can the flow end. */
  browser_hash: Buffer;
  slug: string;
  nonce: string;
  code_verifier: string;
  return_to: string;
  expires_at: Date;
}
export interface WorkspaceTable {
  id: string;
  number: Generated<number>;
  slug: string;
  name: string;
  created_at: Now;
  deleted_at: Date | null;
}
export interface RoleTable {
  id: string;
  workspace_id: string;
  key: string | null;
  name: string;
  description: string;
  permissions: string[];
  version: Generated<number>;
  created_at: Now;
  updated_at: Now;
}
export interface MemberTable {
  id: string;
  workspace_id: string;
  user_id: string;
  role_id: string;
  created_at: Now;
}
export interface GrantTable {
  member_id: string;
  project_id: string;
  environment_id: string | null;
  role_id: string;
}
export interface InvitationTable {
  id: string;
  workspace_id: string;
  email: string;
  role_id: string;
  token_hash: Buffer;
  invited_by: string | null;
  created_at: Now;
  expires_at: Date;
  accepted_at: Date | null;
}
export interface ProjectTable {
  id: string;
  number: Generated<number>;
  workspace_id: string;
  key: string;
  name: string;
  created_at: Now;
  deleted_at: Date | null;
}
export interface EnvironmentTable {
  id: string;
  project_id: string;
  key: string;
  name: string;
  requires_approval: boolean;
  created_at: Now;
  deleted_at: Date | null;
}
export interface ApiTokenTable {
  id: string;
  workspace_id: string;
  user_id: string;
  name: string;
  prefix: string;
  secret_hash: Buffer;
  permissions: string[];
  project_id: string | null;
  environment_id: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  created_at: Now;
}
export interface SdkKeyTable {
  id: string;
  workspace_id: string;
  project_id: string;
  environment_id: string;
  name: string;
  kind: 'server' | 'client';
  allowed_origins: string[];
  prefix: string;
  secret_hash: Buffer;
  created_by: string | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  created_at: Now;
}
export interface ServiceTable {
  workspace_id: string;
  name: string;
  display_name: string | null;
  owner: string | null;
  team: string | null;
  runbook_url: string | null;
  repository_url: string | null;
  tier: string | null;
  tags: string[];
  updated_at: Now;
}
export interface AuditEntryTable {
  id: string;
  workspace_id: string | null;
  at: Now;
  action: string;
  actor_type: 'user' | 'token' | 'system';
  actor_id: string | null;
  actor_name: string;
  resource_type: string;
  resource_id: string;
  resource_name: string | null;
  project_id: string | null;
  environment_id: string | null;
  before: Json<unknown>;
  after: Json<unknown>;
  ip: string | null;
  request_id: string | null;
}
export interface IdempotencyKeyTable {
  caller: string;
  key: string;
  request_hash: Buffer;
  state: 'running' | 'done' | 'secret';
  status: number | null;
  body: string | null;
  created_at: Now;
  expires_at: Date;
}
export interface OutboxTable {
  id: Generated<number>;
  /** The transaction that wrote the row (`xid8`, as text): what tells whether an earlier one can still commit. */
  txid: Generated<string>;
  topic: string;
  key: string;
  payload: Json<unknown>;
  created_at: Now;
}
/** Due work. `every_ms` null: once, the row goes when it is done. Each claim raises `lease_epoch`. */
export interface JobTable {
  name: string;
  kind: string;
  payload: Json<unknown>;
  every_ms: number | null;
  next_run_at: Date;
  lease_until: Date | null;
  lease_epoch: Generated<number>;
  holder: string | null;
  failures: Generated<number>;
  last_error: string | null;
  last_run_at: Date | null;
}
export interface ReplicaTable {
  id: string;
  started_at: Now;
  seen_at: Now;
  roles: string;
  telemetry_store: 'embedded' | 'external';
  version: string;
}

export interface FlagTable {
  id: string;
  project_id: string;
  key: string;
  name: string;
  description: string;
  kind: 'boolean' | 'string' | 'number' | 'json';
  variants: Json<{ key: string; value: unknown; name?: string }[]>;
  default_variant: string;
  off_variant: string;
  tags: string[];
  prerequisites: ColumnType<{ flag: string; variants: string[] }[], string | undefined, string>;
  temporary: boolean;
  archived: Generated<boolean>;
  version: Generated<number>;
  /** Counts changes of what all environments serve alike. */
  serve_version: Generated<number>;
  created_by: string | null;
  created_at: Now;
  updated_at: Now;
}
/** One row per flag and environment: `config` is the targeting as the API shows it, with the rules' salts. */
export interface FlagTargetingTable {
  flag_id: string;
  environment_id: string;
  config: Json<unknown>;
  salt: string;
  /** Keys of the segments that the rules name. */
  segments: string[];
  version: Generated<number>;
  flag_version: Generated<number>;
  updated_at: Now;
  updated_by: string | null;
}
export interface SegmentTable {
  id: string;
  project_id: string;
  key: string;
  name: string;
  description: string;
  included_count: number;
  excluded_count: number;
  /** Over how many chunks the keys of each list are spread. */
  chunks: number;
  rules: Json<unknown>;
  /** Keys of the segments that the rules name. */
  segments: string[];
  version: Generated<number>;
  created_at: Now;
  updated_at: Now;
  updated_by: string | null;
}
/** Some keys of a list of a segment, as a JSON array; `version` is the segment's that wrote them. */
export interface SegmentKeysTable {
  segment_id: string;
  list: 'included' | 'excluded';
  chunk: number;
  version: number;
  keys: string;
}
/** The version of each environment's ruleset, +1 with every effective change, in the same transaction. */
export interface RulesetTable {
  environment_id: string;
  version: Generated<number>;
  updated_at: Now;
}
/** The ramp that runs, or the last one. `held_ms`: of the current step, before the last pause. */
export interface FlagRampTable {
  flag_id: string;
  environment_id: string;
  id: string;
  variant: string;
  bucket_by: string | null;
  steps: Json<{ weight: number; hold: string }[]>;
  status: 'running' | 'paused' | 'completed' | 'aborted';
  step: number;
  step_started_at: Date;
  held_ms: number;
  /** +1 with every start and resume: tells the job of this run from one of an earlier run. */
  run: number;
  started_at: Date;
  started_by: string | null;
  ended_at: Date | null;
}
export interface FlagChangeTable {
  id: string;
  project_id: string;
  kind: 'targeting' | 'flag' | 'prerequisites' | 'segment' | 'ramp';
  flag_id: string | null;
  segment_id: string | null;
  environment_id: string | null;
  status: 'pending' | 'approved' | 'scheduled' | 'applied' | 'rejected' | 'cancelled' | 'failed';
  payload: Json<unknown>;
  diff: Json<unknown>;
  base_version: number;
  /** Environments whose approval it needs. */
  needs: string[];
  comment: string | null;
  apply_at: Date | null;
  created_at: Date;
  created_by: string | null;
  reviewed_at: Date | null;
  reviewed_by: string | null;
  review_comment: string | null;
  applied_at: Date | null;
  failure: string | null;
}
/** What took effect, in order; `after` is what restoring brings back. */
export interface FlagHistoryTable {
  id: string;
  flag_id: string;
  environment_id: string | null;
  at: Date;
  kind: 'created' | 'targeting' | 'flag' | 'prerequisites' | 'ramp';
  actor_type: string;
  actor_id: string | null;
  actor_name: string;
  version: number;
  flag_version: number | null;
  comment: string | null;
  diff: Json<unknown>;
  after: Json<unknown>;
  change_id: string | null;
}
/** A window is kept as it was written, such as `now-1h`. */
export interface SavedQueryTable {
  id: string;
  workspace_id: string;
  project_id: string | null;
  environment: string | null;
  name: string;
  description: string;
  query: string;
  window_from: string | null;
  window_to: string | null;
  tags: string[];
  created_by: string | null;
  created_at: Date;
}
/** The history of queries; 64-bit numbers come as text. */
export interface QueryRunTable {
  id: string;
  workspace_id: string;
  project_id: string | null;
  environment: string | null;
  user_id: string;
  user_name: string;
  token_id: string | null;
  token_name: string | null;
  at: Date;
  query: string;
  window_from: Date | null;
  window_to: Date | null;
  status: 'ok' | 'failed' | 'cancelled';
  error: string | null;
  took_ms: ColumnType<string, number, number>;
  rows_read: ColumnType<string, number, number>;
  bytes_read: ColumnType<string, number, number>;
  result_rows: number;
  truncated: boolean;
}
