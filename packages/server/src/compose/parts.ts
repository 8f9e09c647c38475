import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createAlertHistory } from '../features/alerting/alert-rules/index.ts';
import { createChannelSender } from '../features/alerting/channels/index.ts';
import { createExplain } from '../features/alerting/explanations/index.ts';
import { createNotifications } from '../features/alerting/notifications/index.ts';
import { createAnnotationService, createChangesReader } from '../features/dashboards/annotations/index.ts';
import { createQueryHistory } from '../features/dashboards/saved-queries/index.ts';
import { announcing, createChanges } from '../features/flags/changes/index.ts';
import { createCompatibility } from '../features/flags/compatibility/index.ts';
import { createRulesetDisk, createStreams, findLiveKeys, Rulesets } from '../features/flags/evaluation/index.ts';
import { createFlagUse, type EvaluationsEntry, Exposures } from '../features/flags/exposures/index.ts';
import { findRulesetVersions, loadRuleset } from '../features/flags/flags/index.ts';
import { createAccess } from '../features/identity/access/index.ts';
import { createInviteAccount } from '../features/identity/invitations/index.ts';
import { createProjectRetention } from '../features/identity/projects/index.ts';
import { createRemovedPlaces } from '../features/identity/removal/index.ts';
import { createResults } from '../features/judging/experiments/index.ts';
import { Ingest } from '../features/telemetry/ingest/index.ts';
import { createPromqlEvaluator } from '../features/telemetry/promql/index.ts';
import { createQueryService } from '../features/telemetry/query/index.ts';
import { createRollUpLag } from '../features/telemetry/roll-ups/index.ts';
import { createTails } from '../features/telemetry/tail/index.ts';
import { createTraceService } from '../features/telemetry/traces/index.ts';
import { createWhyService } from '../features/telemetry/why/index.ts';
import { changeKinds, type Parts, tenantTables } from '../features.ts';
import { createBodyThread } from '../http/body-thread.ts';
import { createLiveUses } from '../http/live-uses.ts';
import { Arrivals } from '../platform/arrivals/index.ts';
import { findShards } from '../platform/clickhouse/index.ts';
import type { Clock } from '../platform/clock.ts';
import { createEgress } from '../platform/egress/index.ts';
import { createEncryption } from '../platform/encryption.ts';
import { AnswerReader, createCompiler, createGateway, laneLimits } from '../platform/gateway/index.ts';
import type { Log } from '../platform/log.ts';
import { createMailer } from '../platform/mail/index.ts';
import { Registry } from '../platform/own-metrics.ts';
import { RecentPoints } from '../platform/recent-points/index.ts';
import { createOthersStored, createUnstored, type StoredTo } from '../platform/replicas/index.ts';
import { flagdReasons } from '../protocols/index.ts';
import type { Platform } from './platform.ts';
import type { Stops } from './stops.ts';

export type Built = Awaited<ReturnType<typeof buildParts>>;

/** Builds the parts that features share, on top of the platform's stores. One list, so that the order of construction and of stops is in one place. */
export async function buildParts(
  { db, clickhouse, cluster, telemetryStore, knownKeys, outbox, replica, clockGuard, stores, written }: Platform,
  { config, log, clock }: { config: Config; log: Log; clock: Clock },
  stops: Stops,
) {
  const ownMetrics = new Registry();
  const access = createAccess({ db, clock, knownKeys, toldUntil: () => outbox.toldUntil() });
  const retention = createProjectRetention({ db, clock, classes: config.retention });
  const mailer = createMailer({ ...config.mail, dataDir: config.dataDir, log });
  const encryption = createEncryption(config.secretKey, config.previousSecretKey);
  const egress = createEgress(config.egress);
  const rulesets = new Rulesets({
    source: { load: (id, before) => loadRuleset(db, id, before), versions: (ids) => findRulesetVersions(db, ids) },
    disk: createRulesetDisk({ directory: join(config.dataDir, 'rulesets'), log }),
    log,
    clock,
  });
  const streams = createStreams({ rulesets, liveKeys: (ids) => findLiveKeys(db, ids), clock, log });
  const uses = createLiveUses();
  access.onChange((change) => {
    streams.checkKeys();
    void uses.recheck(change);
  });
  const { lanes, concurrency, seconds, bytes, compileMs, recentBytes } = config.query;
  const compiler = createCompiler({ budgetMs: compileMs });
  const answers = new AnswerReader();
  stops.add(
    () => compiler.stop(),
    () => answers.stop(),
  );
  const others = createOthersStored({ db, replica, clock });
  const removedPlaces = createRemovedPlaces({ db, clock, toldUntil: () => outbox.toldUntil() });
  const recentPoints = new RecentPoints({
    // Other servers may write to a store of the operator.
    maxBytes: stores.telemetryStore === 'embedded' ? recentBytes : 0,
    worker: () => ingest.recent,
    read: (...read) => gateway.readRows(...read),
    storeStarts: () => stores.restarts().telemetry,
    clock,
    log,
  });
  stops.add(() => recentPoints.stop());
  const unstored = createUnstored({
    held: (...of) => ingest.held(...of),
    others: stores.telemetryStore === 'embedded' ? undefined : others,
    clock,
  });
  const gateway = createGateway({
    clickhouse,
    clock,
    compiler,
    answers,
    recent: recentPoints,
    unstored,
    tenantTables,
    hiddenPlaces: removedPlaces,
    lanes: laneLimits(lanes, concurrency),
    seconds,
    bytes,
    findShards: cluster && ((signal) => findShards(clickhouse, cluster, signal)),
  });
  const promql = createPromqlEvaluator({ gateway, unstored, limits: config.prometheus, seconds });
  removedPlaces.onRemoved((workspace) => recentPoints.removed(workspace));
  const telemetry = gateway.lane('interactive');
  stops.add(
    () => rulesets.stop(),
    () => mailer.close(),
  );

  const arrivals = new Arrivals({ db, clock, log, replica, others, held: (...of) => ingest.held(...of) });
  stops.add(() => arrivals.stop());
  const ingest = await Ingest.open({
    dataDir: config.dataDir,
    clickhouse: telemetryStore,
    ...(stores.telemetryStore === 'embedded' && { engineBytes: config.engineMemoryBytes }),
    walMaxBytes: config.wal.maxBytes,
    fsync: config.wal.fsync,
    log,
    clock,
    metrics: ownMetrics,
    onReceived: (source, lateness, at) => arrivals.received(source, lateness, at),
    onWorkerEnded: () => recentPoints.workerEnded(),
    limits: { ...config.ingestLimits, minFreeBytes: config.wal.minFreeBytes },
  });
  stops.add(() => ingest.stop());
  const storedTo = () => ingest.unstoredSince() ?? clock.now();
  written.storedTo = storedTo;
  const allStoredTo = async (): Promise<StoredTo> => {
    // Before the others are read: what is acknowledged meanwhile is later.
    const own = storedTo();
    await others.refresh(0);
    return others.withOwn(own);
  };
  /** Evaluations in the write-ahead log. */
  async function record(projectId: string, entry: EvaluationsEntry): Promise<void> {
    const { logs } = await retention.of(projectId).catch(() => ({ logs: config.retention.default }));
    return ingest.record({ ...entry, retentionDays: logs });
  }
  const exposures = new Exposures({
    append: record,
    clock,
    log,
  });
  stops.add(() => exposures.stop());
  const history = createQueryHistory({ db, clock, log });
  stops.add(() => history.stop());

  const why = createWhyService({ gateway, db });
  stops.add(() => why.stop());
  const sender = createChannelSender({ egress, encryption, mailer, clock });
  const notifications = createNotifications({
    db,
    clock,
    log,
    holder: replica,
    sender,
    explain: createExplain({ gateway, db, why, maxSeconds: config.explanations.maxSeconds }),
    externalUrl: config.baseUrl ?? `http://${config.host}:${config.port}`,
    ...config.notify,
    random: Math.random,
    isClockTrusted: () => clockGuard.isTrusted(),
    metrics: ownMetrics,
  });
  const announce = announcing({ outbox, refresh: (ids) => rulesets.refresh(ids), log });
  const parts: Parts = {
    config,
    db,
    clickhouse,
    cluster,
    clock,
    log,
    access,
    tenantTables,
    removedPlaces,
    storedTo: allStoredTo,
    outbox,
    clockGuard,
    mailer,
    encryption,
    egress,
    bodyThread: createBodyThread(),
    sender,
    notifications,
    inviteAccount: createInviteAccount({ db, clock, log, access, mailer, config }),
    retention,
    rollUpLag: createRollUpLag(),
    gateway,
    promql,
    recentPoints,
    telemetry,
    queries: createQueryService({
      gateway,
      promql,
      clock,
      changes: createChangesReader(createAnnotationService({ db, clock, access, gateway, config })),
      alerts: createAlertHistory({ db, access, clock }),
    }),
    experimentResults: createResults({ db, clock, gateway, retention }),
    traces: createTraceService(telemetry),
    why,
    history,
    uses,
    tails: createTails({ clock, log, limits: config.tails }),
    changes: createChanges({ db, clock, log, access, announce }),
    changeKinds,
    announce,
    use: createFlagUse({ telemetry, clock }),
    compatibility: createCompatibility(rulesets, flagdReasons),
    exposures,
    rulesets,
    streams,
    replica,
    arrivals,
    ownMetrics,
  };
  return { parts, ingest, record };
}
