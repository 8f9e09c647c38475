import type { AlertDefinition, ChannelKind } from '@fanion/contract';
import type { ColumnType, Generated } from 'kysely';
import type { Json } from './columns.ts';

export interface AlertRuleTable {
  id: string;
  workspace_id: string;
  project_id: string;
  environment: string | null;
  shard: number;
  name: string;
  query: string;
  definition: Json<AlertDefinition>;
  enabled: boolean;
  version: Generated<number>;
  evaluated_at: Date | null;
  last_error: string | null;
  /** Whether rows that were acknowledged may have been missing in the last evaluation. */
  delayed: Generated<boolean>;
  /** The SLO that keeps the rule: it changes and goes with it. */
  slo_id: string | null;
  /** A 64-bit number comes as text. */
  missed: ColumnType<string, number | undefined, number>;
  created_by: string | null;
  created_at: Date;
  updated_by: string | null;
  updated_at: Date;
}

/** 64-bit numbers come as text. */
export interface AlertShardTable {
  shard: number;
  epoch: ColumnType<string, number, number>;
  holder: string | null;
  lease_until: Date | null;
  /** Counts changes of the shard's rules. */
  revision: ColumnType<string, number, number>;
  /** Up to when the shard's rules have been evaluated. */
  evaluated_at: Date | null;
}

export interface AlertInstanceTable {
  id: string;
  workspace_id: string;
  rule_id: string;
  identity: string;
  labels: Json<Readonly<Record<string, string>>>;
  state: string;
  value: number | null;
  active_since: Date | null;
  fired_at: Date | null;
  resolved_at: Date | null;
  recovering_since: Date | null;
  missed: number;
  /** Milliseconds since the epoch. */
  turns: Json<readonly number[]>;
  updated_at: Date;
}

export interface AlertTransitionTable {
  id: string;
  workspace_id: string;
  rule_id: string;
  instance_id: string;
  at: Date;
  from_state: string;
  to_state: string;
  value: number | null;
  reason: string | null;
}

export interface ChannelTable {
  id: string;
  workspace_id: string;
  name: string;
  kind: ChannelKind;
  /** What is no secret. */
  config: Json<Readonly<Record<string, unknown>>>;
  /** The other fields of the configuration, encrypted. */
  secrets: string | null;
  send_resolved: boolean;
  fallback: string | null;
  version: Generated<number>;
  health: ColumnType<'unknown' | 'healthy' | 'unhealthy', undefined, 'unknown' | 'healthy' | 'unhealthy'>;
  health_error: ColumnType<string | null, undefined, string | null>;
  health_since: ColumnType<Date | null, undefined, Date | null>;
  created_by: string | null;
  created_at: Date;
  updated_by: string | null;
  updated_at: Date;
}
