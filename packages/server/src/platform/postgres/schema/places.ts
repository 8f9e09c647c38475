import type { ColumnType, Generated } from 'kysely';
import type { Now } from './columns.ts';

export interface WorkspaceTable {
  id: string;
  number: Generated<number>;
  slug: string;
  name: string;
  created_at: Now;
  deleted_at: Date | null;
}

export interface ProjectTable {
  id: string;
  number: Generated<number>;
  workspace_id: string;
  key: string;
  name: string;
  /** Days by signal; a missing signal has the server's default. */
  retention: ColumnType<Partial<Record<string, number>>, string | undefined, string>;
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

/** A removed place whose telemetry is being deleted, or was until lately. */
export interface TelemetryRemovalTable {
  /** Of the workspace, project or environment; of an erasure, its own. */
  id: string;
  workspace_id: string;
  workspace: number;
  project_id: string | null;
  /** Number of the project; null: the whole workspace. */
  project: number | null;
  /** Key of the environment; null: all of them. */
  environment: string | null;
  /** Of an erasure; null: everything of the place is removed. */
  attribute: string | null;
  value: string | null;
  key: string;
  name: string;
  removed_at: Date;
  /** When the current pass over all tables began; null: none has begun yet. */
  sweep_at: Date | null;
  /** Position of the table that is being cleared. */
  next_table: Generated<number>;
  /** Parts of this table that the store still has to rewrite; null: not known. */
  parts_left: number | null;
  /** Whether a pass has cleared all tables. */
  swept: Generated<boolean>;
  /** Since when nothing of it is stored. */
  finished_at: Date | null;
}
