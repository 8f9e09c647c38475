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
