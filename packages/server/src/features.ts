import type { Config, Role } from './config.ts';
import {
  type QueryHistory,
  queryHistoryPruneJob,
  savedQueriesFeature,
} from './features/dashboards/saved-queries/index.ts';
import type { FeatureDependencies } from './features/dependencies.ts';
import { deliveryFeature, flagTestFeature, type Rulesets, type Streams } from './features/flags/evaluation/index.ts';
import type { FlagManagement } from './features/flags/flag-management/index.ts';
import { auditFeature } from './features/identity/audit/index.ts';
import { authFeature, removeExpired } from './features/identity/auth/index.ts';
import { invitationsFeature } from './features/identity/invitations/index.ts';
import { membersFeature } from './features/identity/members/index.ts';
import { type ProjectRetention, projectsFeature } from './features/identity/projects/index.ts';
import { deleteTelemetryFrom, telemetryRemovalJob } from './features/identity/removal/index.ts';
import { rolesFeature } from './features/identity/roles/index.ts';
import { tokensFeature } from './features/identity/tokens/index.ts';
import { workspacesFeature } from './features/identity/workspaces/index.ts';
import { contrastFeature } from './features/telemetry/contrast/index.ts';
import { exemplarsFeature } from './features/telemetry/exemplars/index.ts';
import { fieldsFeature } from './features/telemetry/fields/index.ts';
import { logPatternsFeature } from './features/telemetry/log-patterns/index.ts';
import { profilesFeature } from './features/telemetry/profiles/index.ts';
import { type QueryService, telemetryFeature } from './features/telemetry/query/index.ts';
import { serviceMapFeature, serviceMapJob } from './features/telemetry/service-map/index.ts';
import { servicesFeature } from './features/telemetry/services/index.ts';
import { type Tails, tailFeature } from './features/telemetry/tail/index.ts';
import { textIndexJob } from './features/telemetry/text-indexes/index.ts';
import type { TraceService } from './features/telemetry/traces/index.ts';
import { usageFeature } from './features/telemetry/usage/index.ts';
import type { MountedRoute } from './http/context.ts';
import { removeExpiredKeys } from './http/idempotency-store.ts';
import type { LiveUses } from './http/live-uses.ts';
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
  /** Reads under way, which end with the access of their callers. */
  readonly uses: LiveUses;
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
    tailFeature({ tails: parts.tails, telemetry, access, uses: parts.uses, clock }),
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
