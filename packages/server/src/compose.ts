import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config, Role } from './config.ts';
import { createQueryHistory } from './features/dashboards/saved-queries/index.ts';
import {
  answerPreflights,
  createRulesetDisk,
  createRulesets,
  createStreams,
  evaluationFeature,
  findLiveKeys,
  sendDoorFailure,
} from './features/flags/evaluation/index.ts';
import { createExposures, createFlagUse } from './features/flags/exposures/index.ts';
import { createFlagManagement } from './features/flags/flag-management/index.ts';
import { findRulesetVersions, loadRuleset, rulesetChanged } from './features/flags/flags/index.ts';
import { accessChanged, accessChangeOf, createAccess, createKnownKeys } from './features/identity/access/index.ts';

import { createProjectRetention } from './features/identity/projects/index.ts';
import { environmentRemoved } from './features/identity/removal/index.ts';
import { createOwnMetrics, platformStatusFeature, watchOwnHealth } from './features/system/status/index.ts';
import { createFieldCatalogues } from './features/telemetry/fields/index.ts';
import { createIngest, createIngestAuthenticator } from './features/telemetry/ingest/index.ts';
import { createQueryService, createTurnstile } from './features/telemetry/query/index.ts';
import { createTails } from './features/telemetry/tail/index.ts';
import { createTraceService } from './features/telemetry/traces/index.ts';
import { featureJobs, featureRoutes, type Parts } from './features.ts';
import { createIdempotency } from './http/idempotency.ts';
import { createLiveUses } from './http/live-uses.ts';
import { createHttp, createServer } from './http/server.ts';
import { createListeners } from './listeners.ts';
import {
  type ClickHouseTarget,
  type Cluster,
  clusterSettings,
  createClickHouse,
  migrateTelemetry,
} from './platform/clickhouse/index.ts';
import type { Clock } from './platform/clock.ts';
import { createJobRunner } from './platform/jobs/index.ts';
import type { Log } from './platform/log.ts';
import { createMailer } from './platform/mail/index.ts';
import { nowOrLater } from './platform/now-or-later.ts';
import { createOutbox, listenForOutbox } from './platform/outbox/index.ts';
import { connectDatabase, isConnectionError } from './platform/postgres/database.ts';
import { migrate } from './platform/postgres/migrate.ts';
import { joinReplicas, replicaId } from './platform/replicas/index.ts';
import { createScopedTelemetry } from './platform/scoped-telemetry.ts';
import { createOtlpGrpc, registerIngestProtocols } from './protocols/index.ts';
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

/**
 * Builds the whole server out of a configuration; the only place that constructs things. Starting goes from top to
 * bottom, stopping the same list from bottom to top. Which features there are stands in `features.ts`.
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
    const flags = createFlagManagement({
      db,
      clock,
      access,
      log,
      outbox,
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
        rulesets.drop(key);
      },
    });
    outbox.subscribe({
      topic: accessChanged,
      on: (message) => access.forget(accessChangeOf(message)),
      missed: () => access.forget(),
    });
    const uses = createLiveUses();
    access.onChange((change) => {
      streams.checkKeys();
      void uses.recheck(change);
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
    const history = createQueryHistory({ db, clock, log });
    stopping.push(() => history.stop());
    const tails = createTails({ clock, log });

    const observed = { db, log, stores, clickhouse, rulesets, ingest, streams, turnstile, exposures };
    const health = watchOwnHealth(observed);
    stopping.push(() => health.stop());
    const metrics = createOwnMetrics(observed);

    const parts: Parts = {
      config,
      db,
      clickhouse,
      cluster,
      clock,
      log,
      access,
      outbox,
      mailer,
      retention,
      telemetry: scoped,
      reader: { query: (sql, params) => clickhouse.queryRows(sql, { params }) },
      queries: createQueryService({
        clickhouse,
        clock,
        turnstile,
        catalogues: createFieldCatalogues({ telemetry: unqueued, clock }),
      }),
      traces: createTraceService(clickhouse),
      history,
      tails,
      uses,
      flags,
      rulesets,
      streams,
    };

    // Listeners
    const runs = (role: Role) => config.roles.has(role);
    const platformStatus = platformStatusFeature({
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
    });
    const receiver = ingest.receiver(createIngestAuthenticator({ access, retention }));
    const ingestProtocols = (app: FastifyInstance) => registerIngestProtocols(app, receiver);
    const server = await createServer({
      log,
      maxBodyBytes: config.maxBodyBytes,
      requestsPerMinute: config.requestsPerMinute,
      trustProxy: config.trustProxy,
      webDirectory: runs('api') ? webDirectory : undefined,
      routes: [...platformStatus, ...featureRoutes(parts)],
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
      mount: { access, idempotency: createIdempotency({ db, clock, log }), log, baseUrl: config.baseUrl, uses },
      sendFailure: sendDoorFailure,
      protocols: [...(runs('ingest') ? [ingestProtocols] : []), ...(runs('flags') ? [answerPreflights] : [])],
      observe: metrics.observe,
    });
    const otlpServer = createHttp({ log, maxBodyBytes: config.maxBodyBytes, trustProxy: config.trustProxy });
    ingestProtocols(otlpServer);
    const otlpGrpc = createOtlpGrpc({ ...receiver, log });
    const listeners = createListeners({ config, log, server, otlpHttp: otlpServer, otlpGrpc });

    const jobs = createJobRunner({ db, clock, log, holder: replica, kinds: featureJobs(parts) });

    return {
      get url() {
        return listeners.url();
      },
      async listen() {
        await controlPlane.follow(async () => {
          await outbox.start();
          // What was revoked while nobody listened.
          access.forget();
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
