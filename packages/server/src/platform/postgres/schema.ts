import type {
  ApiTokenTable,
  GrantTable,
  InvitationTable,
  MemberTable,
  RoleTable,
  SdkKeyTable,
} from './schema/access.ts';
import type { AttemptTable, IdentityTable, OidcFlowTable, SessionTable, UserTable } from './schema/accounts.ts';
import type {
  AlertInstanceTable,
  AlertRuleTable,
  AlertShardTable,
  AlertTransitionTable,
  ChannelTable,
} from './schema/alerting.ts';
import type {
  AnnotationTable,
  DashboardSnapshotTable,
  DashboardTable,
  DashboardVersionTable,
} from './schema/dashboards.ts';
import type { ErrorGroupStateTable } from './schema/error-groups.ts';
import type { ExperimentDayTable, ExperimentResultTable, ExperimentTable } from './schema/experiments.ts';
import type {
  FlagChangeTable,
  FlagHistoryTable,
  FlagRampTable,
  FlagTable,
  FlagTargetingTable,
  RulesetTable,
  SegmentKeysTable,
  SegmentTable,
} from './schema/flags.ts';
import type {
  FlagHoldTable,
  FlagMetricTable,
  GuardedReleaseEventTable,
  GuardedReleaseTable,
} from './schema/judging.ts';
import type {
  AlertGroupMemberTable,
  AlertGroupSentTable,
  AlertGroupTable,
  AlertRoutingTable,
  DeliveryInstanceTable,
  InhibitionRuleTable,
  NotificationDeliveryTable,
  PolicyChannelTable,
  RoutingPolicyTable,
  SilenceTable,
} from './schema/notifications.ts';
import type {
  EnvironmentTable,
  ProjectTable,
  ServiceTable,
  TelemetryRemovalTable,
  WorkspaceTable,
} from './schema/places.ts';
import type {
  ArrivalTable,
  AuditEntryTable,
  IdempotencyKeyTable,
  JobTable,
  OutboxTable,
  ReplicaTable,
} from './schema/platform.ts';
import type { QueryRunTable, SavedQueryTable } from './schema/queries.ts';
import type { RecordingRuleTable, SloTable } from './schema/slos.ts';

export type * from './schema/alerting.ts';
export type * from './schema/dashboards.ts';
export type * from './schema/error-groups.ts';
export type * from './schema/experiments.ts';
export type * from './schema/flags.ts';
export type * from './schema/judging.ts';
export type * from './schema/notifications.ts';
export type * from './schema/slos.ts';

/** Tables of the control plane, for Kysely. Columns are named like the API's fields where there is one. */
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
  telemetry_removals: TelemetryRemovalTable;
  audit_entries: AuditEntryTable;
  idempotency_keys: IdempotencyKeyTable;
  outbox: OutboxTable;
  jobs: JobTable;
  replicas: ReplicaTable;
  arrivals: ArrivalTable;
  flags: FlagTable;
  flag_targeting: FlagTargetingTable;
  rulesets: RulesetTable;
  segments: SegmentTable;
  segment_keys: SegmentKeysTable;
  flag_ramps: FlagRampTable;
  flag_changes: FlagChangeTable;
  flag_history: FlagHistoryTable;
  flag_metrics: FlagMetricTable;
  flag_holds: FlagHoldTable;
  experiments: ExperimentTable;
  experiment_results: ExperimentResultTable;
  experiment_days: ExperimentDayTable;
  guarded_releases: GuardedReleaseTable;
  guarded_release_events: GuardedReleaseEventTable;
  error_group_states: ErrorGroupStateTable;
  saved_queries: SavedQueryTable;
  query_runs: QueryRunTable;
  dashboards: DashboardTable;
  dashboard_versions: DashboardVersionTable;
  dashboard_snapshots: DashboardSnapshotTable;
  annotations: AnnotationTable;
  alert_rules: AlertRuleTable;
  alert_shards: AlertShardTable;
  alert_instances: AlertInstanceTable;
  alert_transitions: AlertTransitionTable;
  slos: SloTable;
  recording_rules: RecordingRuleTable;
  channels: ChannelTable;
  alert_routing: AlertRoutingTable;
  routing_policies: RoutingPolicyTable;
  policy_channels: PolicyChannelTable;
  silences: SilenceTable;
  inhibition_rules: InhibitionRuleTable;
  alert_groups: AlertGroupTable;
  alert_group_members: AlertGroupMemberTable;
  alert_group_sent: AlertGroupSentTable;
  notification_deliveries: NotificationDeliveryTable;
  delivery_instances: DeliveryInstanceTable;
}
