import type { FastifyInstance } from 'fastify';
import { type Config, ConfigError, type Role } from '../config.ts';
import { EvaluatorLink } from '../evaluator/link.ts';
import { answerPreflights, evaluationFeature, sendProtocolFailure } from '../features/flags/evaluation/index.ts';
import { operationsFeature } from '../features/system/operations/index.ts';
import { createSelfTelemetry } from '../features/system/self-telemetry/index.ts';
import {
  createApiDocument,
  createRequestMetrics,
  declareOwnMetrics,
  platformStatusFeature,
  watchOwnHealth,
} from '../features/system/status/index.ts';
import { createIngestAuthenticator } from '../features/telemetry/ingest/index.ts';
import { features } from '../features.ts';
import { createBodyBudgets } from '../http/body-budgets.ts';
import { hostnameOf } from '../http/host.ts';
import { createIdempotency } from '../http/idempotency.ts';
import { createHttp, createServer } from '../http/server.ts';
import { openTls, type Tls, type TlsFiles } from '../http/tls.ts';
import { diskSpace } from '../platform/disk-space.ts';
import type { LogLines } from '../platform/log-lines.ts';
import { messageOf } from '../platform/message-of.ts';
import {
  connectMethodsOf,
  createFlagdEvaluation,
  createFlagdSync,
  createOtlpGrpc,
  createReadGrpc,
  ingestProtocolRoutes,
  readGrpcMethods,
  readRoutes,
  registerIngestProtocols,
  sendConnectFailure,
} from '../protocols/index.ts';
import { version } from '../version.ts';
import type { Built } from './parts.ts';
import type { Platform } from './platform.ts';
import { createPorts } from './ports.ts';
import type { Stops } from './stops.ts';

interface ListenerOptions {
  readonly webDirectory: string | undefined;
  readonly evaluator: NodeJS.Process | undefined;
  readonly logLines: LogLines | undefined;
}

/** Builds the servers and their routes; nothing listens yet. One list, so that what each port serves is in one place. */
export async function buildListeners(
  { stores, database, outbox }: Platform,
  { parts, ingest, record }: Built,
  { webDirectory, evaluator: channel, logLines }: ListenerOptions,
  stops: Stops,
) {
  const { config, log, clock, db, access, rulesets, streams, exposures, clickhouse, retention, gateway } = parts;
  let draining = false;
  const isDraining = () => draining;
  const runs = (role: Role) => config.roles.has(role);
  const { rollUpLag } = parts;
  let link: EvaluatorLink | undefined;
  const evaluator = () => link?.counts();
  const tls = config.tls && openOwnTls(config.tls, parts);
  if (tls !== undefined) stops.add(() => tls.stop());
  const health = watchOwnHealth({
    ...{ db, log, clickhouse, rulesets, ingest },
    clockGuard: stores.controlStore === 'external' ? parts.clockGuard : undefined,
  });
  stops.add(() => health.stop());
  const metrics = createRequestMetrics(parts.ownMetrics, ingestProtocolRoutes);
  const build = { version, commit: null };
  declareOwnMetrics({
    ...{ registry: parts.ownMetrics, build, stores, pool: database.pool, outbox, clock, gateway, rollUpLag },
    ...{ rulesets, streams, exposures, evaluator, tls, disk: () => diskSpace(config.dataDir) },
  });

  const selfTelemetry = createSelfTelemetry({
    settings: config.selfTelemetry,
    self: { version, replica: parts.replica, roles: [...config.roles].join(','), startedAt: clock.now() },
    registry: parts.ownMetrics,
    ...{ ingest, retention, lines: logLines, db, clock, log },
    random: Math.random,
  });
  stops.add(() => selfTelemetry.stop());
  const observe = (app: FastifyInstance) => metrics.observe(app, selfTelemetry.answered);

  const platformStatus = platformStatusFeature({
    health,
    metrics: parts.ownMetrics,
    metricsToken: config.metricsToken,
    ...build,
    engines: () => ({ control_plane: stores.controlStore, telemetry_store: stores.telemetryStore }),
    signup: config.signup,
    oidc: config.oidc,
    baseUrl: () => config.baseUrl ?? ports.url(),
    apiDocument: createApiDocument(version),
    otlpHttpPort: () => ports.otlpHttpPort(),
    otlpGrpcPort: () => ports.otlpGrpcPort(),
  });
  const operations = operationsFeature({
    ...{ db, clock, health, metrics: parts.ownMetrics, replica: parts.replica },
    selfTelemetry: config.selfTelemetry,
    areBackupsScheduled: config.backups.directory !== undefined,
  });
  const receiver = ingest.receiver(createIngestAuthenticator({ access, retention }));
  const ingestProtocols = (app: FastifyInstance) => registerIngestProtocols(app, receiver);
  const served = features.filter(({ role = 'api' }) => runs(role));
  const budgets = createBodyBudgets(config.http.bodyRates, clock);
  if (channel !== undefined)
    link = new EvaluatorLink(channel, { config, access, rulesets, record, answered: metrics.answered, clock, log });
  const readGrpc = createReadGrpc({
    methods: readGrpcMethods,
    request: (request) => server.inject({ method: 'GET', ...request }),
    log,
  });
  const sdkCaller = link?.sdkCaller ?? access.sdkCaller;
  const server = await createServer({
    log,
    maxBodyBytes: config.http.maxBodyBytes,
    budgets,
    bodyThread: parts.bodyThread,
    requestsPerMinute: config.http.requestsPerMinute,
    trustProxy: config.trustProxy,
    isDraining,
    tls,
    webDirectory: runs('api') ? webDirectory : undefined,
    routes: [
      ...platformStatus,
      ...(runs('api') ? operations : []),
      ...served.flatMap((feature) => feature.routes?.(parts) ?? []),
      ...(runs('api') ? readRoutes(parts) : []),
    ],
    raw: !runs('flags')
      ? []
      : evaluationFeature({
          rulesets,
          sdkCaller,
          log,
          clock,
          secret: config.secretKey,
          answered: metrics.answered,
          exposures,
          budgets,
        }),
    plain: { sdkCaller, answered: metrics.answered },
    hostNames: config.trustProxy ? undefined : hostNamesOf(config),
    mount: {
      access,
      idempotency: createIdempotency({ db, clock, log }),
      log,
      baseUrl: config.baseUrl,
      uses: parts.uses,
    },
    sendFailure: sendProtocolFailure,
    protocols: [
      ...(runs('ingest') ? [{ routes: ingestProtocolRoutes, register: ingestProtocols }] : []),
      ...(runs('flags') ? [{ routes: [], register: answerPreflights }] : []),
    ],
    observe,
    takeHttp2: runs('api') ? readGrpc.take : undefined,
  });
  const otlpHttp = createHttp({
    ...{ log, isDraining, tls },
    ...{ maxBodyBytes: config.http.maxBodyBytes, trustProxy: config.trustProxy },
  });
  observe(otlpHttp);
  ingestProtocols(otlpHttp);
  const flagd = createFlagdEvaluation({ rulesets, streams, exposures, budgets, sdkCaller: access.sdkCaller, log });
  const flagdPort = createHttp({
    ...{ log, isDraining, tls, raw: [], plain: flagd.plain, takeHttp2: flagd.takeHttp2 },
    ...{ methods: connectMethodsOf, sendFailure: sendConnectFailure },
    ...{ maxBodyBytes: config.http.maxBodyBytes, trustProxy: config.trustProxy },
  });
  flagd.register(flagdPort);
  const ports = createPorts({
    config,
    log,
    link,
    server,
    otlpHttp,
    readGrpc,
    otlpGrpc: createOtlpGrpc({ ...receiver, log, tls }),
    flagd,
    flagdPort,
    flagdSync: createFlagdSync({ rulesets, streams, sdkCaller: access.sdkCaller, log, tls }),
  });

  return {
    url: () => ports.url(),
    drain() {
      draining = true;
      health.setPhase('stopping');
    },
    async listen() {
      stops.add(
        () => ports.close(),
        ...features.flatMap(({ stop }) => (stop === undefined ? [] : [() => stop(parts)])),
      );
      await ports.listen();
      health.setPhase('serving');
      stops.add(() => health.setPhase('stopping'));
    },
  };
}

function openOwnTls(files: TlsFiles, { config, log, clock }: Built['parts']): Tls {
  const hostname = config.baseUrl === undefined ? undefined : new URL(config.baseUrl).hostname;
  try {
    return openTls(files, { log, clock, hostname });
  } catch (error) {
    throw new ConfigError(`FANION_TLS_CERT and FANION_TLS_KEY: ${messageOf(error)}`, { cause: error });
  }
}

/** The host names of this server: that of the configured address, and the one it listens on. */
function hostNamesOf({ baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>): ReadonlySet<string> {
  const names = baseUrl === undefined ? [host] : [hostnameOf(new URL(baseUrl).host), host];
  return new Set(names.filter((name) => name !== '0.0.0.0' && name !== '::').map((name) => name.toLowerCase()));
}
