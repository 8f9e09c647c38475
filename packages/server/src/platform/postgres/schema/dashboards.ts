import type { DashboardModel, VariableValues } from '@fanion/contract';
import type { Generated } from 'kysely';
import type { Json } from './columns.ts';

export interface DashboardTable {
  id: string;
  workspace_id: string;
  project_id: string | null;
  environment: string | null;
  /** As in the model; for lists. */
  name: string;
  model: Json<DashboardModel>;
  version: Generated<number>;
  /** The file that it comes from; null: people change it. */
  source: string | null;
  created_by: string | null;
  created_at: Date;
  updated_by: string | null;
  updated_at: Date;
}

/** The author's name stays when the account goes. */
export interface DashboardVersionTable {
  dashboard_id: string;
  version: number;
  model: Json<DashboardModel>;
  comment: string | null;
  author_id: string | null;
  author_name: string;
  created_at: Date;
}

/** A dashboard with the data that it had. The name of who made it stays when the account goes. */
export interface DashboardSnapshotTable {
  id: string;
  workspace_id: string;
  /** Null: the dashboard was deleted since. */
  dashboard_id: string | null;
  project_id: string | null;
  environment: string | null;
  name: string;
  /** Of the dashboard. */
  version: number;
  model: Json<DashboardModel>;
  variables: Json<VariableValues>;
  from_time: Date;
  to_time: Date;
  /** Lines of panels, compressed with gzip, and the size of this. */
  data: Buffer;
  bytes: number;
  created_by: string | null;
  created_by_name: string;
  created_at: Date;
  expires_at: Date;
}

/** What people write; everything else that annotates is read from its own table. */
export interface AnnotationTable {
  id: string;
  workspace_id: string;
  project_id: string | null;
  environment: string | null;
  service: string | null;
  time: Date;
  end_time: Date | null;
  text: string;
  tags: string[];
  created_by: string | null;
  created_by_name: string;
  created_at: Date;
}
