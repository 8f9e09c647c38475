import type { Config } from './config.ts';
import { alertRulesFeature } from './features/alerting/alert-rules/index.ts';
import { type ChannelSender, channelsFeature } from './features/alerting/channels/index.ts';
import { explanationsFeature } from './features/alerting/explanations/index.ts';
import { inhibitionRulesFeature } from './features/alerting/inhibition-rules/index.ts';
import { type Notifications, notificationsFeature } from './features/alerting/notifications/index.ts';
import { routingPoliciesFeature } from './features/alerting/routing-policies/index.ts';
import { silencesFeature } from './features/alerting/silences/index.ts';
import { annotationsFeature } from './features/dashboards/annotations/index.ts';
import { dashboardsFeature } from './features/dashboards/dashboards/index.ts';
import { libraryFeature } from './features/dashboards/library/index.ts';
import { type QueryHistory, savedQueriesFeature } from './features/dashboards/saved-queries/index.ts';
import type { FeatureDependencies } from './features/dependencies.ts';
import type { Feature, TenantTable } from './features/feature.ts';
import { batchesFeature } from './features/flags/batches/index.ts';
import { changesFeature } from './features/flags/changes/index.ts';
import type { ReadCompatibility } from './features/flags/compatibility/index.ts';
import { deliveryFeature, flagTestFeature, type Rulesets, type Streams } from './features/flags/evaluation/index.ts';
import { type Exposures, exposuresFeature, type ReadFlagUse } from './features/flags/exposures/index.ts';
import { type Changes, flagsFeature } from './features/flags/flags/index.ts';
import { growthBookFeature } from './features/flags/growthbook/index.ts';
import { launchDarklyFeature } from './features/flags/launchdarkly/index.ts';
import { rampsFeature } from './features/flags/ramps/index.ts';
import { segmentsFeature } from './features/flags/segments/index.ts';
import { unleashFeature } from './features/flags/unleash/index.ts';
import { accessFeature } from './features/identity/access/index.ts';
import { auditFeature } from './features/identity/audit/index.ts';
import { authFeature } from './features/identity/auth/index.ts';
import { invitationsFeature } from './features/identity/invitations/index.ts';
import { type InviteAccount, membersFeature } from './features/identity/members/index.ts';
import { type ProjectRetention, projectsFeature } from './features/identity/projects/index.ts';
import { type RemovedPlaces, removalFeature } from './features/identity/removal/index.ts';
import { rolesFeature } from './features/identity/roles/index.ts';
import { tokensFeature } from './features/identity/tokens/index.ts';
import { workspacesFeature } from './features/identity/workspaces/index.ts';
import { experimentsFeature, type Results } from './features/judging/experiments/index.ts';
import { guardedReleasesFeature } from './features/judging/guarded-releases/index.ts';
import { metricsFeature } from './features/judging/metrics/index.ts';
import { replayFeature } from './features/judging/replay/index.ts';
import { rolloutFeature } from './features/judging/rollout/index.ts';
import { sloBudgetFeature } from './features/slos/budget/index.ts';
import { recordingRulesFeature } from './features/slos/recording-rules/index.ts';
import { slosFeature } from './features/slos/slos/index.ts';
import { mcpFeature } from './features/system/mcp/index.ts';
import { contrastFeature } from './features/telemetry/contrast/index.ts';
import { errorExplanationsFeature } from './features/telemetry/error-explanations/index.ts';
import { errorGroupsFeature } from './features/telemetry/error-groups/index.ts';
import { exemplarsFeature } from './features/telemetry/exemplars/index.ts';
import { fieldsFeature } from './features/telemetry/fields/index.ts';
import { ingestFeature } from './features/telemetry/ingest/index.ts';
import { logPatternsFeature } from './features/telemetry/log-patterns/index.ts';
import { profilesFeature } from './features/telemetry/profiles/index.ts';
import type { PromqlEvaluator } from './features/telemetry/promql/index.ts';
import { type QueryService, telemetryFeature } from './features/telemetry/query/index.ts';
import { type RollUpLag, rollUpsFeature } from './features/telemetry/roll-ups/index.ts';
import { serviceMapFeature } from './features/telemetry/service-map/index.ts';
import { servicesFeature } from './features/telemetry/services/index.ts';
import { type Tails, tailFeature } from './features/telemetry/tail/index.ts';
import { textIndexesFeature } from './features/telemetry/text-indexes/index.ts';
import type { TraceService } from './features/telemetry/traces/index.ts';
import { usageFeature } from './features/telemetry/usage/index.ts';
import type { WhyService } from './features/telemetry/why/index.ts';
import type { BodyThread } from './http/body-thread.ts';
import type { LiveUses } from './http/live-uses.ts';
import type { Arrivals } from './platform/arrivals/index.ts';
import type { ClickHouse, Cluster } from './platform/clickhouse/index.ts';
import type { Egress } from './platform/egress/index.ts';
import type { Encryption } from './platform/encryption.ts';
import type { Gateway } from './platform/gateway/index.ts';
import type { Mailer } from './platform/mail/index.ts';
import type { Outbox } from './platform/outbox/index.ts';
import type { Registry } from './platform/own-metrics.ts';
import type { RecentPoints } from './platform/recent-points/index.ts';
import type { ClockGuard, StoredTo } from './platform/replicas/index.ts';
import type { ScopedTelemetry } from './platform/scoped-telemetry.ts';

/**
 * The parts of the server that features are built from; `compose/parts.ts` creates them. Each feature names the parts
 * that it needs.
 */
export interface Parts extends FeatureDependencies {
  readonly config: Config;
  readonly clickhouse: ClickHouse;
  /** Undefined: ClickHouse is a single server. */
  readonly cluster: Cluster | undefined;
  readonly outbox: Outbox;
  readonly clockGuard: ClockGuard;
  readonly tenantTables: readonly TenantTable[];
  /** Places whose telemetry answers nobody any longer. */
  readonly removedPlaces: RemovedPlaces;
  readonly mailer: Mailer;
  readonly encryption: Encryption;
  readonly egress: Egress;
  /** Parses large JSON. */
  readonly bodyThread: BodyThread;
  readonly sender: ChannelSender;
  readonly notifications: Notifications;
  readonly retention: ProjectRetention;
  /** The only access to telemetry. */
  readonly gateway: Gateway;
  /** Told of changes to stored points that are not ingested. */
  readonly recentPoints: Pick<RecentPoints, 'changing'>;
  /** Its interactive lane, for a feature's own SQL. */
  readonly telemetry: ScopedTelemetry;
  readonly queries: QueryService;
  readonly promql: PromqlEvaluator;
  readonly experimentResults: Results;
  readonly rollUpLag: RollUpLag;
  readonly traces: TraceService;
  /** Ranks the causes of what was selected. */
  readonly why: WhyService;
  readonly history: QueryHistory;
  readonly tails: Tails;
  readonly inviteAccount: InviteAccount;
  /** Reads in progress, which end when their callers lose access. */
  readonly uses: LiveUses;
  readonly changes: Changes;
  readonly changeKinds: typeof changeKinds;
  /** Notifies the replicas, and waits until this one serves a change before the change is answered. */
  readonly announce: (environmentIds: readonly string[]) => Promise<void>;
  readonly use: ReadFlagUse;
  readonly compatibility: ReadCompatibility;
  /** Counts evaluations. */
  readonly exposures: Exposures;
  readonly rulesets: Rulesets;
  readonly streams: Streams;
  /** Names this server among those that share the control plane. */
  readonly replica: string;
  /** Up to when what all servers have acknowledged can be queried. */
  readonly storedTo: () => Promise<StoredTo>;
  /** How late telemetry arrives, and what of it cannot be queried yet. */
  readonly arrivals: Arrivals;
  /** Of this server, for `/internal/metrics`: whoever counts declares. */
  readonly ownMetrics: Registry;
}

/** Every feature. The order is that of their routes. */
export const features: readonly Feature<Parts>[] = [
  ingestFeature,
  accessFeature,
  authFeature,
  workspacesFeature,
  membersFeature,
  invitationsFeature,
  rolesFeature,
  projectsFeature,
  removalFeature,
  tokensFeature,
  servicesFeature,
  auditFeature,
  telemetryFeature,
  fieldsFeature,
  exemplarsFeature,
  logPatternsFeature,
  errorGroupsFeature,
  errorExplanationsFeature,
  serviceMapFeature,
  textIndexesFeature,
  rollUpsFeature,
  contrastFeature,
  tailFeature,
  profilesFeature,
  usageFeature,
  alertRulesFeature,
  explanationsFeature,
  silencesFeature,
  inhibitionRulesFeature,
  channelsFeature,
  routingPoliciesFeature,
  notificationsFeature,
  savedQueriesFeature,
  dashboardsFeature,
  libraryFeature,
  annotationsFeature,
  sloBudgetFeature,
  slosFeature,
  recordingRulesFeature,
  flagsFeature,
  segmentsFeature,
  batchesFeature,
  changesFeature,
  rampsFeature,
  flagTestFeature,
  exposuresFeature,
  deliveryFeature,
  launchDarklyFeature,
  growthBookFeature,
  unleashFeature,
  metricsFeature,
  rolloutFeature,
  replayFeature,
  guardedReleasesFeature,
  experimentsFeature,
  mcpFeature,
];

/**
 * Every table of the telemetry store with tenants' rows, in the order in which a removed place is deleted from them.
 */
export const tenantTables = seriesLast(features.flatMap((one) => one.tenantTables ?? []));

/** Points and roll-ups are found by their series. */
function seriesLast(tables: readonly TenantTable[]): TenantTable[] {
  const isSeries = ({ name }: TenantTable) => name === 'metric_series';
  return [...tables.filter((table) => !isSeries(table)), ...tables.filter(isSeries)];
}

/** Every kind of change that can wait for approval or a time. */
export const changeKinds = features.flatMap((one) => one.changeKinds ?? []);
