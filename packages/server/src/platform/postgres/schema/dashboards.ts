import type { DashboardModel } from '@fanion/contract';
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
