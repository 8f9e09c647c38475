import type { QueryLanguage } from '@fanion/contract';
import type { ColumnType, Generated } from 'kysely';

/** A window is stored as written, such as `now-1h`. */
export interface SavedQueryTable {
  id: string;
  workspace_id: string;
  project_id: string | null;
  environment: string | null;
  name: string;
  description: string;
  query: string;
  query_language: Generated<QueryLanguage>;
  window_from: string | null;
  window_to: string | null;
  tags: string[];
  created_by: string | null;
  created_at: Date;
}

/** The query history; 64-bit numbers are text. */
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
  query_language: QueryLanguage | null;
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
