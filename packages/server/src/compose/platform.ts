import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createKnownKeys } from '../features/identity/access/index.ts';
import {
  type ClickHouse,
  type ClickHouseTarget,
  type Cluster,
  clusterSettings,
  createClickHouse,
  migrateTelemetry,
  moveOldTelemetry,
} from '../platform/clickhouse/index.ts';
import type { Clock } from '../platform/clock.ts';
import { connectionsOf, laneLimits } from '../platform/gateway/index.ts';
import type { Log } from '../platform/log.ts';
import { nowOrLater } from '../platform/now-or-later.ts';
import { Outbox } from '../platform/outbox/index.ts';
import { connectDatabase, isConnectionError } from '../platform/postgres/database.ts';
import { migrate } from '../platform/postgres/migrate.ts';
import { createClockGuard, joinReplicas, replicaId, sameClock } from '../platform/replicas/index.ts';
import type { Stores } from '../stores.ts';
import { version } from '../version.ts';
import type { Stops } from './stops.ts';

export interface PlatformOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly stores: Stores;
}

export type Platform = Awaited<ReturnType<typeof openPlatform>>;

/** Connects to both stores, migrates them, and joins the replicas of the control plane. */
export async function openPlatform({ config, log, clock, stores }: PlatformOptions, stops: Stops) {
  stops.add(() => stores.stop());
  const database = connectDatabase(stores.database, {
    maxConnections: 16,
    timeoutMs: 10_000,
    onError: (error) => log.warn({ err: error }, 'a connection to the control plane broke'),
  });
  stops.add(() => database.close());
  const { db } = database;
  const { clickhouseCluster: name } = config;
  const telemetryStore: ClickHouseTarget = {
    url: stores.clickhouseUrl,
    database: 'fanion',
    ...(name !== undefined && { settings: clusterSettings }),
  };
  const cluster: Cluster | undefined = name === undefined ? undefined : { name, database: telemetryStore.database };
  const lanes = laneLimits(config.query.lanes, config.query.concurrency);
  // Jobs and health checks need connections in addition to the queries.
  const clickhouse = createClickHouse({ ...telemetryStore, maxConnections: connectionsOf(lanes) + 4 });
  stops.add(() => clickhouse.close());
  const knownKeys = createKnownKeys({ file: join(config.dataDir, 'rulesets', 'sdk-keys.json'), log });
  stops.add(() => knownKeys.flush());
  const clockGuard =
    stores.controlStore === 'embedded' ? sameClock : createClockGuard({ clock, maxSkewMs: config.maxClockSkewMs });
  const replica = await replicaId(config.dataDir);
  /** Set once the log is open. */
  const written: { storedTo: () => number | undefined } = { storedTo: () => undefined };
  const joinControlPlane = async () => {
    await migrate(db, ({ name }) => log.info({ migration: name }, 'control plane migrated'));
    const membership = await joinReplicas({
      db,
      replica: { id: replica, roles: [...config.roles].join(','), telemetryStore: stores.telemetryStore, version },
      log,
      clockGuard,
      storedTo: () => written.storedTo(),
    });
    stops.add(() => membership.leave());
  };
  const [controlPlane] = await Promise.all([
    // A server that has served flags before continues to serve them, even if PostgreSQL is down when it starts.
    nowOrLater(joinControlPlane, { canWait: (error) => knownKeys.count() > 0 && isConnectionError(error), log }),
    migrateStore({ config, log, telemetryStore, cluster, clickhouse }),
  ]);
  stops.add(() => controlPlane.stop());
  const outbox = new Outbox({ db, clock, log });
  return {
    stores,
    database,
    db,
    telemetryStore,
    cluster,
    clickhouse,
    knownKeys,
    replica,
    written,
    controlPlane,
    clockGuard,
    outbox,
  };
}

async function migrateStore({
  config,
  log,
  telemetryStore,
  cluster,
  clickhouse,
}: Pick<PlatformOptions, 'config' | 'log'> & {
  readonly telemetryStore: ClickHouseTarget;
  readonly cluster: Cluster | undefined;
  readonly clickhouse: ClickHouse;
}): Promise<void> {
  await migrateTelemetry({
    ...telemetryStore,
    cluster: cluster?.name,
    onApply: ({ name }) => log.info({ migration: name }, 'migrating the telemetry store'),
    onBehind: (hosts) => log.warn({ hosts }, 'these servers of the cluster do not have the whole schema yet'),
  });
  if (config.coldVolume === undefined) return;
  const place = { database: telemetryStore.database, cluster: cluster?.name };
  const tables = await moveOldTelemetry(clickhouse, place, { ...config.coldVolume, afterDays: config.coldAfterDays });
  if (tables.length > 0) log.info({ tables, days: config.coldAfterDays }, 'old telemetry of these tables will move');
}
