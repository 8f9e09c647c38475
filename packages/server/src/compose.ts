import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config, Role } from './config.ts';
import { createAccess, createKnownKeys } from './features/access/index.ts';
import { auditFeature } from './features/audit/index.ts';
import { authFeature, removeExpired } from './features/auth/index.ts';
import { contrastFeature } from './features/contrast/index.ts';
import {
  answerPreflights,
  createRulesetDisk,
  createRulesets,
  createStreams,
  deliveryFeature,
  evaluationFeature,
  findLiveKeys,
  flagTestFeature,
} from './features/evaluation/index.ts';
import { exemplarsFeature } from './features/exemplars/index.ts';
import { createExposures, createFlagUse } from './features/exposures/index.ts';
import { createFieldCatalogues, fieldsFeature } from './features/fields/index.ts';
import { flagManagement } from './features/flag-management/index.ts';
import { findRulesetVersions, loadRuleset, rulesetChanged } from './features/flags/index.ts';
import { createIngest } from './features/ingest/index.ts';
import { invitationsFeature } from './features/invitations/index.ts';
import { logPatternsFeature } from './features/log-patterns/index.ts';
import { membersFeature } from './features/members/index.ts';
import { platformStatusFeature } from './features/platform-status/index.ts';
import { profilesFeature } from './features/profiles/index.ts';
import { createProjectRetention, projectsFeature } from './features/projects/index.ts';
import { createQueryService, createTurnstile, telemetryFeature } from './features/query/index.ts';
import { deleteTelemetryFrom, environmentRemoved, telemetryRemovalJob } from './features/removal/index.ts';
import { rolesFeature } from './features/roles/index.ts';
import { createQueryHistory, queryHistoryPruneJob, savedQueriesFeature } from './features/saved-queries/index.ts';
import { serviceMapFeature, serviceMapJob } from './features/service-map/index.ts';
import { servicesFeature } from './features/services/index.ts';
import { createTails, tailFeature } from './features/tail/index.ts';
import { textIndexJob } from './features/text-indexes/index.ts';
import { tokensFeature } from './features/tokens/index.ts';
import { createTraceService } from './features/traces/index.ts';
import { usageFeature } from './features/usage/index.ts';
import { workspacesFeature } from './features/workspaces/index.ts';
import { createIdempotency, removeExpiredKeys } from './http/idempotency.ts';
import { createHttp, createServer } from './http/server.ts';
import { createIngestAuthenticator } from './ingest-authenticator.ts';
import { createListeners } from './listeners.ts';
import { createOwnMetrics, watchOwnHealth } from './own-health.ts';
import {
  type ClickHouse,
  type ClickHouseTarget,
  type Cluster,
  clusterSettings,
  createClickHouse,
  migrateTelemetry,
} from './platform/clickhouse/index.ts';
import { type Clock, dateOf } from './platform/clock.ts';
import { createJobRunner, type JobKind } from './platform/jobs/index.ts';
import type { Log } from './platform/log.ts';
import { createMailer } from './platform/mail/index.ts';
import { nowOrLater } from './platform/now-or-later.ts';
import { createOutbox, listenForOutbox, outboxPruneJob } from './platform/outbox/index.ts';
import { connectDatabase, type Database, isConnectionError } from './platform/postgres/database.ts';
import { migrate } from './platform/postgres/migrate.ts';
import { joinReplicas, replicaId } from './platform/replicas/index.ts';
import { createScopedTelemetry } from './platform/scoped-telemetry.ts';
import type { Stores } from './stores.ts';
import { version } from './version.ts';

export interface App {
  /** Where it listens; known after `listen`. */
  readonly url: string;
  listen(): Promise<void>;
  /** Finishes what was accepted, flushes, and stops the stores last. */
  stop(): Promise<void>;
}

export interface ComposeOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Started already, or starting. */
  readonly stores: Promise<Stores>;
  /** The built web application; undefined: none is served. */
  readonly webDirectory: string | undefined;
}

const hourMs = 3_600_000;

/**
 * Builds the whole server out of a configuration; the only place that constructs things. Starting goes from top to
 * bottom, stopping the same list from bottom to top.
 */
export async function compose(
  config: Config,
  { log, clock, webDirectory, stores: opening }: ComposeOptions,
): Promise<App> {
  const stopping: (() => unknown)[] = [];
  const stop = async () => {
    for (const step of stopping.splice(0).reverse()) await step();
  };
  try {
    return await build();
  } catch (error) {
    await stop();
    throw error;
  }

  async function build(): Promise<App> {
    // Stores
    const stores = await opening;
    stopping.push(() => stores.stop());
    const database = connectDatabase(stores.database, {
      maxConnections: 16,
      timeoutMs: 10_000,
      onError: (error) => log.warn({ err: error }, 'a connection to the control plane broke'),
    });
    stopping.push(() => database.close());
    const { db } = database;
    const telemetry: ClickHouseTarget = {
      url: stores.clickhouseUrl,
      database: 'fanion',
      ...(config.clickhouseCluster !== undefined && { settings: clusterSettings }),
    };
    const cluster: Cluster | undefined =
      config.clickhouseCluster === undefined
        ? undefined
        : { name: config.clickhouseCluster, database: telemetry.database };
    const clickhouse = createClickHouse(telemetry);
    stopping.push(() => clickhouse.close());
    const knownKeys = createKnownKeys({ file: join(config.dataDir, 'rulesets', 'sdk-keys.json'), log });
    stopping.push(() => knownKeys.flush());
    const replica = await replicaId(config.dataDir);
    const joinControlPlane = async () => {
      await migrate(db, ({ name }) => log.info({ migration: name }, 'control plane migrated'));
      const membership = await joinReplicas({
        db,
        replica: { id: replica, roles: [...config.roles].join(','), telemetryStore: stores.telemetryStore, version },
        log,
      });
      stopping.push(() => membership.leave());
    };
    const [controlPlane] = await Promise.all([
      // A server that has served flags before goes on serving them, though PostgreSQL is away when it starts.
      nowOrLater(joinControlPlane, { canWait: (error) => knownKeys.count() > 0 && isConnectionError(error), log }),
      migrateTelemetry({
        ...telemetry,
        cluster: cluster?.name,
        onApply: ({ name }) => log.info({ migration: name }, 'migrating the telemetry store'),
      }),
    ]);
    stopping.push(() => controlPlane.stop());

    // What the features are built from
    const access = createAccess({ db, clock, knownKeys });
    const outbox = createOutbox({ db, clock, log });
    const retention = createProjectRetention({ db, clock, classes: config.retention });
    const mailer = createMailer({ ...config.mail, dataDir: config.dataDir, log });
    const reader = {
      query: <T extends object>(sql: string, params: Record<string, unknown>) =>
        clickhouse.queryRows<T>(sql, { params }),
    };
    const shared = { db, clock, access, log, config, outbox, mailer };
    const rulesets = createRulesets({
      source: { load: (id, before) => loadRuleset(db, id, before), versions: (ids) => findRulesetVersions(db, ids) },
      disk: createRulesetDisk({ directory: join(config.dataDir, 'rulesets'), log }),
      log,
    });
    const streams = createStreams({ rulesets, liveKeys: (ids) => findLiveKeys(db, ids), clock, log });
    const turnstile = createTurnstile({ perWorkspace: config.queryConcurrency, maxWaiting: 32, waitMs: 5_000 });
    const scoped = createScopedTelemetry({ clickhouse, pass: turnstile.pass });
    // For looks of milliseconds into roll-ups that queries themselves wait for.
    const unqueued = createScopedTelemetry({ clickhouse, pass: (_workspace, _signal, work) => work() });
    const flags = flagManagement({
      ...shared,
      refresh: (ids) => rulesets.refresh(ids),
      use: createFlagUse({ telemetry: scoped, clock }),
    });
    stopping.push(
      () => rulesets.stop(),
      () => mailer.close(),
    );
    outbox.subscribe({
      topic: rulesetChanged,
      on: ({ key }) => rulesets.refresh([key]),
      missed: () => rulesets.refresh(),
    });
    outbox.subscribe({
      topic: environmentRemoved,
      on: ({ key }) => {
        access.forget();
        rulesets.drop(key);
      },
    });

    const ingest = await createIngest({
      dataDir: config.dataDir,
      clickhouse: telemetry,
      walMaxBytes: config.wal.maxBytes,
      fsync: config.wal.fsync,
      log,
      clock,
      limits: {
        minFreeBytes: config.wal.minFreeBytes,
        rate: {
          itemsPerSecond: config.ingestLimits.itemsPerSecond,
          bytesPerSecond: config.ingestLimits.bytesPerSecond,
        },
        seriesPerDay: config.ingestLimits.seriesPerDay,
      },
    });
    stopping.push(() => ingest.stop());
    const exposures = createExposures({
      append: (entry) => ingest.record(entry),
      retentionDays: (projectId) =>
        retention.of(projectId).then(
          ({ logs }) => logs,
          () => config.retention.default,
        ),
      clock,
      log,
    });
    stopping.push(() => exposures.stop());
    const authenticateIngest = createIngestAuthenticator({ access, retention });
    const history = createQueryHistory({ db, clock, log });
    stopping.push(() => history.stop());
    const tails = createTails({ clock, log });

    const parts = { db, log, stores, clickhouse, rulesets, ingest, streams, turnstile, exposures };
    const health = watchOwnHealth(parts);
    stopping.push(() => health.stop());
    const metrics = createOwnMetrics(parts);

    // Listeners
    const runs = (role: Role) => config.roles.has(role);
    const features = [
      platformStatusFeature({
        health,
        metrics: metrics.registry,
        metricsToken: config.metricsToken,
        version,
        commit: null,
        engines: () => ({ control_plane: stores.controlStore, telemetry_store: stores.telemetryStore }),
        signup: config.signup,
        oidc: config.oidc,
        baseUrl: () => config.baseUrl ?? listeners.url(),
        otlpHttpPort: () => listeners.otlpHttpPort(),
        otlpGrpcPort: () => listeners.otlpGrpcPort(),
      }),
      ...(runs('api')
        ? [
            authFeature(shared),
            workspacesFeature(shared),
            membersFeature(shared),
            invitationsFeature(shared),
            rolesFeature(shared),
            projectsFeature({ ...shared, retention, telemetry: reader }),
            tokensFeature(shared),
            servicesFeature({ ...shared, telemetry: reader }),
            auditFeature(shared),
            telemetryFeature({
              query: createQueryService({
                clickhouse,
                clock,
                turnstile,
                catalogues: createFieldCatalogues({ telemetry: unqueued, clock }),
              }),
              traces: createTraceService(clickhouse),
              history,
            }),
            fieldsFeature({ telemetry: scoped, clock }),
            exemplarsFeature({ telemetry: scoped, clock }),
            logPatternsFeature({ telemetry: scoped, clock }),
            serviceMapFeature({ telemetry: scoped, clickhouse, clock }),
            contrastFeature({ telemetry: scoped, clock }),
            tailFeature({ tails, telemetry: scoped, access, clock }),
            profilesFeature({ telemetry: scoped, clock }),
            usageFeature({ db, telemetry: scoped, clock, retention: config.retention }),
            savedQueriesFeature(shared),
            flags.routes,
            flagTestFeature({ rulesets }),
          ]
        : []),
      ...(runs('flags') ? [deliveryFeature({ rulesets, streams, clock, secret: config.secretKey })] : []),
    ];
    const otlp = (app: FastifyInstance) => ingest.register(app, { authenticate: authenticateIngest });
    const server = await createServer({
      log,
      maxBodyBytes: config.maxBodyBytes,
      requestsPerMinute: config.requestsPerMinute,
      trustProxy: config.trustProxy,
      webDirectory: runs('api') ? webDirectory : undefined,
      routes: features.flat(),
      raw: !runs('flags')
        ? []
        : evaluationFeature({
            rulesets,
            sdkCaller: access.sdkCaller,
            log,
            clock,
            secret: config.secretKey,
            answered: metrics.answered,
            exposures,
          }),
      mount: { access, idempotency: createIdempotency(db, clock), log, baseUrl: config.baseUrl },
      doors: [...(runs('ingest') ? [otlp] : []), ...(runs('flags') ? [answerPreflights] : [])],
      observe: metrics.observe,
    });
    const otlpServer = createHttp({ log, maxBodyBytes: config.maxBodyBytes, trustProxy: config.trustProxy });
    otlp(otlpServer);
    const otlpGrpc = ingest.grpc({ authenticate: authenticateIngest });
    const listeners = createListeners({ config, log, server, otlpHttp: otlpServer, otlpGrpc });

    const jobs = createJobRunner({
      db,
      clock,
      log,
      holder: replica,
      kinds: config.roles.has('jobs') ? [...jobKinds(db, clock, clickhouse, cluster), ...flags.jobs] : [],
    });

    return {
      get url() {
        return listeners.url();
      },
      async listen() {
        await controlPlane.follow(async () => {
          await outbox.start();
          stopping.push(() => outbox.stop());
          if (stores.controlStore === 'external')
            stopping.push(listenForOutbox(database.pool, () => outbox.wake(), log));
          await jobs.start();
          stopping.push(() => jobs.stop());
        });
        stopping.push(
          () => listeners.close(),
          // Streams never end by themselves, and the server waits for what it has accepted.
          () => streams.stop(),
          () => tails.stop(),
        );
        await listeners.listen();
        health.setPhase('serving');
        stopping.push(() => health.setPhase('stopping'));
        log.info({ url: listeners.url() }, 'ready');
      },
      stop,
    };
  }
}

function jobKinds(db: Database, clock: Clock, clickhouse: ClickHouse, cluster: Cluster | undefined): JobKind[] {
  return [
    telemetryRemovalJob(deleteTelemetryFrom(clickhouse, cluster)),
    outboxPruneJob,
    queryHistoryPruneJob(db, clock),
    serviceMapJob(clickhouse),
    // It knows the parts of one server only.
    ...(cluster === undefined ? [textIndexJob(clickhouse)] : []),
    {
      kind: 'expired.remove',
      everyMs: hourMs,
      async run(run) {
        await removeExpired(db, clock.now());
        await removeExpiredKeys(db, dateOf(clock));
        await run.finish();
      },
    },
  ];
}
