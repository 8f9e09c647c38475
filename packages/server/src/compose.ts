import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import { createAccess } from './features/access/index.ts';
import { createIngest } from './features/ingest/index.ts';
import { createMetrics, platformStatusFeature, watchHealth } from './features/platform-status/index.ts';
import { createQueryService, createTurnstile, telemetryFeature } from './features/query/index.ts';
import { createTraceService } from './features/traces/index.ts';
import { createIdempotency } from './http/idempotency.ts';
import { createHttp, createServer } from './http/server.ts';
import { createClickHouse, migrateTelemetry } from './platform/clickhouse/index.ts';
import type { Clock } from './platform/clock.ts';
import type { Log } from './platform/log.ts';
import { connectDatabase } from './platform/postgres/database.ts';
import { migrate } from './platform/postgres/migrate.ts';
import { openStores } from './stores.ts';
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
  /** The built web application; undefined: none is served. */
  readonly webDirectory: string | undefined;
}

/** Builds the whole server out of a configuration. The only place that constructs things; starting goes from top to bottom, stopping back up. */
export async function compose(config: Config, { log, clock, webDirectory }: ComposeOptions): Promise<App> {
  const stores = await openStores(config, log);
  const database = connectDatabase(stores.database, {
    maxConnections: 16,
    timeoutMs: 10_000,
    onError: (error) => log.warn({ err: error }, 'a connection to the control plane broke'),
  });
  const telemetry = { url: stores.clickhouseUrl, database: 'fanion' };
  const clickhouse = createClickHouse(telemetry);
  const { db } = database;
  await Promise.all([
    migrate(db, ({ name }) => log.info({ migration: name }, 'control plane migrated')),
    migrateTelemetry(telemetry),
  ]);

  const access = createAccess({ db, clock });
  const shared = { db, clock, access, log };
}
