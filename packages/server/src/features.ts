import type { Config, Role } from './config.ts';
import { auditFeature } from './features/audit/index.ts';
import { authFeature, removeExpired } from './features/auth/index.ts';
import { contrastFeature } from './features/contrast/index.ts';
import type { FeatureDependencies } from './features/dependencies.ts';
import { deliveryFeature, flagTestFeature, type Rulesets, type Streams } from './features/evaluation/index.ts';
import { exemplarsFeature } from './features/exemplars/index.ts';
import { fieldsFeature } from './features/fields/index.ts';
import type { FlagManagement } from './features/flag-management/index.ts';
import { invitationsFeature } from './features/invitations/index.ts';
import { logPatternsFeature } from './features/log-patterns/index.ts';
import { membersFeature } from './features/members/index.ts';
import { profilesFeature } from './features/profiles/index.ts';
import { type ProjectRetention, projectsFeature } from './features/projects/index.ts';
import { type QueryService, telemetryFeature } from './features/query/index.ts';
import { deleteTelemetryFrom, telemetryRemovalJob } from './features/removal/index.ts';
import { rolesFeature } from './features/roles/index.ts';
import { type QueryHistory, queryHistoryPruneJob, savedQueriesFeature } from './features/saved-queries/index.ts';
import { serviceMapFeature, serviceMapJob } from './features/service-map/index.ts';
import { servicesFeature } from './features/services/index.ts';
import { type Tails, tailFeature } from './features/tail/index.ts';
import { textIndexJob } from './features/text-indexes/index.ts';
import { tokensFeature } from './features/tokens/index.ts';
import type { TraceService } from './features/traces/index.ts';
import { usageFeature } from './features/usage/index.ts';
import { workspacesFeature } from './features/workspaces/index.ts';
import type { MountedRoute } from './http/context.ts';
import { removeExpiredKeys } from './http/idempotency-store.ts';
import type { ClickHouse, Cluster } from './platform/clickhouse/index.ts';
import { dateOf } from './platform/clock.ts';
import type { JobKind } from './platform/jobs/index.ts';
import type { Mailer } from './platform/mail/index.ts';
import type { Outbox } from './platform/outbox/index.ts';
import { outboxPruneJob } from './platform/outbox/index.ts';
import type { ScopedTelemetry } from './platform/scoped-telemetry.ts';
import type { TelemetryReader } from './platform/telemetry-reader.ts';

/** What features are built from; `compose.ts` makes it. */
export interface Parts extends FeatureDependencies {
  readonly config: Config;
  readonly clickhouse: ClickHouse;
  /** Undefined: ClickHouse is one server. */
  readonly cluster: Cluster | undefined;
  readonly outbox: Outbox;
  readonly mailer: Mailer;
  readonly retention: ProjectRetention;
  /** Telemetry of one workspace, in turn with its queries. */
  readonly telemetry: ScopedTelemetry;
  /** Reads all of the telemetry store. */
  readonly reader: TelemetryReader;
  readonly queries: QueryService;
  readonly traces: TraceService;
  readonly history: QueryHistory;
  readonly tails: Tails;
  readonly flags: FlagManagement;
  readonly rulesets: Rulesets;
  readonly streams: Streams;
}

/** The routes of what this replica's roles run. */
export function featureRoutes(parts: Parts): MountedRoute[] {
  const runs = (role: Role) => parts.config.roles.has(role);
  return [...(runs('api') ? apiRoutes(parts) : []), ...(runs('flags') ? deliveryRoutes(parts) : [])];
}

function apiRoutes(parts: Parts): MountedRoute[] {
  const { db, clock, access, config, telemetry } = parts;
  return [
    authFeature(parts),
    workspacesFeature(parts),
    membersFeature(parts),
    invitationsFeature(parts),
    rolesFeature(parts),
    projectsFeature({ ...parts, telemetry: parts.reader }),
    tokensFeature(parts),
    servicesFeature({ ...parts, telemetry: parts.reader }),
    auditFeature(parts),
    telemetryFeature({ query: parts.queries, traces: parts.traces, history: parts.history }),
    fieldsFeature({ telemetry, clock }),
    exemplarsFeature({ telemetry, clock }),
    logPatternsFeature({ telemetry, clock }),
    serviceMapFeature({ telemetry, clickhouse: parts.clickhouse, clock }),
    contrastFeature({ telemetry, clock }),
    tailFeature({ tails: parts.tails, telemetry, access, clock }),
    profilesFeature({ telemetry, clock }),
    usageFeature({ db, telemetry, clock, retention: config.retention }),
    savedQueriesFeature(parts),
    parts.flags.routes,
    flagTestFeature({ rulesets: parts.rulesets }),
  ].flat();
}

function deliveryRoutes({ rulesets, streams, clock, config }: Parts): MountedRoute[] {
  return deliveryFeature({ rulesets, streams, clock, secret: config.secretKey });
}

/** The background work of a replica with the role `jobs`; none for others. */
export function featureJobs({ config, db, clock, clickhouse, cluster, flags }: Parts): JobKind[] {
  if (!config.roles.has('jobs')) return [];
  return [
    telemetryRemovalJob(deleteTelemetryFrom(clickhouse, cluster)),
    outboxPruneJob,
    queryHistoryPruneJob(db, clock),
    serviceMapJob(clickhouse),
    // It knows the parts of one server only.
    ...(cluster === undefined ? [textIndexJob(clickhouse)] : []),
    {
      kind: 'expired.remove',
      everyMs: 3_600_000,
      async run(run) {
        await removeExpired(db, clock.now());
        await removeExpiredKeys(db, dateOf(clock));
        await run.finish();
      },
    },
    ...flags.jobs,
  ];
}
