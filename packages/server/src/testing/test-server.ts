import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, compose } from '../compose.ts';
import { readConfig } from '../config.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { openStores } from '../stores.ts';

export interface TestServer {
  /** `http://127.0.0.1:<port>`. */
  readonly base: string;
  readonly dataDir: string;
  readonly app: App;
  stop(): Promise<void>;
}

/**
 * The composed server over HTTP on a free port and a fresh data directory, with the embedded stores unless `env` says
 * otherwise. With `dataDir` it opens what another one left and leaves it in place.
 */
export async function startTestServer(
  options: { env?: Readonly<Record<string, string>>; clock?: Clock; dataDir?: string; webDirectory?: string } = {},
): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'fanion-')));
  const config = readConfig({
    FANION_PORT: '0',
    FANION_OTLP_HTTP_PORT: '0',
    FANION_OTLP_GRPC_PORT: '0',
    FANION_DATA_DIR: dataDir,
    FANION_LOG_LEVEL: process.env.FANION_TEST_LOG ?? 'error',
    FANION_REQUESTS_PER_MINUTE: '1000000',
    FANION_ENGINE_MEMORY: '2GiB',
    ...options.env,
  });
  const log = createLog(config.logLevel);
  const app = await compose(config, {
    log,
    clock: options.clock ?? systemClock,
    stores: openStores(config, log),
    webDirectory: options.webDirectory,
  });
  await app.listen();
  return {
    base: app.url,
    dataDir,
    app,
    async stop() {
      await app.stop();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
