import type { Generated } from 'kysely';
import type { Json, Now } from './columns.ts';

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
  /** The transaction that wrote the row (`xid8`, as text): shows whether an earlier one can still commit. */
  txid: Generated<string>;
  topic: string;
  key: string;
  payload: Json<unknown>;
  created_at: Now;
}

/** Jobs. `every_ms` null: runs once, and the row is deleted when it is done. Each claim raises `lease_epoch`. */
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
  stored_to: Generated<Date | null>;
}

/** See `platform/arrivals`. */
export interface ArrivalTable {
  project: number;
  signal: string;
  source: string;
  replica: string;
  late_ms: number;
  seen_at: Date;
}
