import type { ColumnType, Generated } from 'kysely';
import type { Json } from './columns.ts';

export interface StoredMatcher {
  readonly name: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

export interface StoredInterval {
  readonly times?: readonly { readonly start: string; readonly end: string }[];
  readonly weekdays?: readonly string[];
  readonly days_of_month?: readonly string[];
  readonly months?: readonly string[];
  readonly years?: readonly string[];
  readonly time_zone?: string;
}

type Labels = Readonly<Record<string, string>>;
/** Read as a value or null, written as JSON text or null. */
type JsonOrNull<T> = ColumnType<T | null, string | null, string | null>;

export interface AlertRoutingTable {
  workspace_id: string;
  revision: Generated<number>;
}

export interface RoutingPolicyTable {
  id: string;
  workspace_id: string;
  parent_id: string | null;
  name: string;
  position: number;
  matchers: Json<readonly StoredMatcher[]>;
  continues: boolean;
  inherits_channels: boolean;
  group_by: JsonOrNull<readonly string[]>;
  group_wait: string | null;
  group_interval: string | null;
  repeat_interval: string | null;
  mute: Json<readonly StoredInterval[]>;
  active: Json<readonly StoredInterval[]>;
  version: Generated<number>;
  created_by: string | null;
  created_at: Date;
  updated_by: string | null;
  updated_at: Date;
}

export interface PolicyChannelTable {
  policy_id: string;
  channel_id: string;
  position: number;
}

export interface SilenceTable {
  id: string;
  workspace_id: string;
  matchers: Json<readonly StoredMatcher[]>;
  starts_at: Date;
  ends_at: Date;
  comment: string;
  created_by: string | null;
  created_at: Date;
}

export interface InhibitionRuleTable {
  id: string;
  workspace_id: string;
  name: string;
  source: Json<readonly StoredMatcher[]>;
  target: Json<readonly StoredMatcher[]>;
  equal: Json<readonly string[]>;
  version: Generated<number>;
  created_by: string | null;
  created_at: Date;
  updated_by: string | null;
  updated_at: Date;
}

export interface AlertGroupTable {
  id: string;
  workspace_id: string;
  /** null: the policy was deleted. */
  policy_id: string | null;
  /** A hash of the labels. */
  key: string;
  labels: Json<Labels>;
  /** null: the group has no members. */
  next_flush_at: Date | null;
  flushes: Generated<number>;
  epoch: Generated<number>;
  holder: string | null;
  lease_until: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** What is left of an alert whose rule was deleted. */
export interface GoneAlert {
  readonly labels: Labels;
  readonly rule_id: string;
  readonly value: number | null;
  readonly fired_at: string | null;
  readonly resolved_at: string;
}

export interface AlertGroupMemberTable {
  group_id: string;
  instance_id: string;
  has_left: Generated<boolean>;
  gone: JsonOrNull<GoneAlert>;
}

export interface AlertGroupSentTable {
  group_id: string;
  channel_id: string;
  firing: Json<readonly string[]>;
  resolved: Json<readonly string[]>;
  at: Date;
}

export interface NotificationDeliveryTable {
  id: string;
  workspace_id: string;
  group_id: string;
  channel_id: string;
  flush: number;
  idempotency_key: string;
  reason: string;
  body: string;
  /** What `body` was rendered from; times are text. */
  notification: Json<unknown>;
  /** The delivery whose channel failed. */
  fallback_for: string | null;
  hops: number;
  status: string;
  attempt: Generated<number>;
  next_try_at: Date;
  give_up_at: Date | null;
  lease_epoch: Generated<number>;
  holder: string | null;
  lease_until: Date | null;
  answer_status: number | null;
  answer: string | null;
  error: string | null;
  created_at: Date;
  finished_at: Date | null;
}

export interface DeliveryInstanceTable {
  delivery_id: string;
  instance_id: string;
}
