import type { ColumnType, Generated } from 'kysely';
import type { Json, Now } from './columns.ts';

type FlagMetadata = Readonly<Record<string, string | number | boolean>>;

export interface FlagTable {
  id: string;
  project_id: string;
  key: string;
  name: string;
  description: string;
  kind: 'boolean' | 'string' | 'number' | 'json';
  variants: Json<{ key: string; value: unknown; name?: string }[]>;
  default_variant: string;
  /** Null: the flag serves nothing while it is off. */
  off_variant: string | null;
  tags: string[];
  prerequisites: ColumnType<{ flag: string; variants: string[] }[], string | undefined, string>;
  temporary: boolean;
  /** Part of every evaluation result. */
  metadata: ColumnType<FlagMetadata, string | undefined, string>;
  /** Whether SDK keys of the kind `client` see the flag. */
  client_visible: Generated<boolean>;
  archived: Generated<boolean>;
  version: Generated<number>;
  /** Counts changes common to all environments. */
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
  /** Number of chunks of each list of keys. */
  chunks: number;
  rules: Json<unknown>;
  /** Keys of the segments that the rules name. */
  segments: string[];
  version: Generated<number>;
  created_at: Now;
  updated_at: Now;
  updated_by: string | null;
}

/** Some keys of a list of a segment, as a JSON array; `version` is the version of the segment that wrote them. */
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

/** The active ramp, or the last one. `held_ms`: hold of the current step before the last pause. */
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
  /** +1 with every start and resume: distinguishes the job of this run from those of earlier runs. */
  run: number;
  started_at: Date;
  started_by: string | null;
  ended_at: Date | null;
}

export interface FlagChangeTable {
  id: string;
  project_id: string;
  kind: 'targeting' | 'flag' | 'prerequisites' | 'segment' | 'ramp' | 'guarded_release' | 'experiment';
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

/** Applied changes, in order; `after` is the state that restoring brings back. */
export interface FlagHistoryTable {
  id: string;
  flag_id: string;
  environment_id: string | null;
  at: Date;
  kind: 'created' | 'targeting' | 'flag' | 'prerequisites' | 'ramp' | 'guarded_release' | 'experiment';
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
