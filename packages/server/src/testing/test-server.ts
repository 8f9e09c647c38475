import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DestinationStream } from 'pino';
import { type App, compose } from '../compose.ts';
import { readConfig } from '../config.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { createLogLines } from '../platform/log-lines.ts';
import { connectDatabase, type Database } from '../platform/postgres/database.ts';
import { openStores } from '../stores.ts';
import { layInitialStores } from './initial-stores.ts';

export interface TestServer {
  /** `http://127.0.0.1:<port>`. */
  readonly base: string;
  readonly dataDir: string;
  readonly app: App;
  readonly clickhouseUrl: string;
  stop(): Promise<void>;
}

interface TestServerOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly dataDir?: string;
  readonly webDirectory?: string | undefined;
  /** Where the log lines of a server with self-telemetry go. */
  readonly logTo?: DestinationStream;
}

export interface SharedTestServer extends TestServer {
  /** The control plane, beside the server. */
  readonly db: Database;
}

/**
 * The composed server over HTTP on a free port with a fresh data directory, and embedded stores unless `env` says
 * otherwise. With `dataDir` it opens an existing directory and does not delete it. Without options it is the server
 * that the test files of a worker share, each with its own workspaces; `stop` leaves it running. Tests that stop or
 * break it pass `{}`.
 */
export async function startTestServer(options?: TestServerOptions): Promise<TestServer> {
  return options === undefined ? sharedTestServer() : start(options);
}

let shared: Promise<SharedTestServer> | undefined;

/**
 * The server that the test files of a worker share, with the web application if it is built. It ends with the worker.
 */
export async function sharedTestServer(): Promise<SharedTestServer> {
  shared ??= startShared();
  const server = await shared;
  // All files sign up from one address, whose limit is meant for one of them.
  await server.db.deleteFrom('attempts').where('kind', '=', 'signup:address').execute();
  return server;
}

const builtWeb = fileURLToPath(new URL('../../../web/dist/app', import.meta.url));

async function startShared(): Promise<SharedTestServer> {
  const server = await startWithDatabase({ webDirectory: existsSync(builtWeb) ? builtWeb : undefined });
  return { ...server, stop: async () => {} };
}

/** A server like the shared one, for a test whose time grows with what other files have stored. */
export function ownTestServer(): Promise<SharedTestServer> {
  return startWithDatabase({});
}

async function startWithDatabase(options: TestServerOptions): Promise<SharedTestServer> {
  const { database, ...server } = await start(options);
  const { db, close } = connectDatabase(database, { maxConnections: 1, timeoutMs: 20_000, onError: () => {} });
  return {
    ...server,
    db,
    async stop() {
      await close();
      await server.stop();
    },
  };
}

async function start(options: TestServerOptions) {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'fanion-')));
  await layInitialStores(dataDir, options.env);
  const config = readConfig({
    FANION_PORT: '0',
    FANION_OTLP_HTTP_PORT: '0',
    FANION_OTLP_GRPC_PORT: '0',
    FANION_FLAGD_PORT: '0',
    FANION_FLAGD_SYNC_PORT: '0',
    FANION_DATA_DIR: dataDir,
    FANION_LOG_LEVEL: process.env.FANION_TEST_LOG ?? 'error',
    FANION_REQUESTS_PER_MINUTE: '1000000',
    FANION_ENGINE_MEMORY: '2GiB',
    ...options.env,
  });
  const logLines = config.selfTelemetry.isOn ? createLogLines(options.logTo) : undefined;
  const log = createLog(config.logLevel, logLines);
  const stores = openStores(config, log);
  const app = await compose(config, {
    log,
    clock: options.clock ?? systemClock,
    stores,
    logLines,
    webDirectory: options.webDirectory,
  });
  await app.listen();
  const { clickhouseUrl, database } = await stores;
  return {
    base: app.url,
    dataDir,
    app,
    clickhouseUrl,
    database,
    async stop() {
      await app.stop();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
