import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { claimStoreDirectory } from '../store-directory.ts';
import { runChild } from '../supervisor/child.ts';
import { openEngine } from './engine.ts';
import { codeOf } from './exceptions.ts';
import { createHttpInterface } from './http.ts';
import { openLane } from './lanes.ts';
import { loadNative } from './native.ts';
import { openSpool } from './spool.ts';
import { forgetUnfinishedInserts } from './unfinished-inserts.ts';

export interface TelemetryChildConfig {
  dir: string;
  /** 0 for any free one. */
  port: number;
  password: string;
  memoryBytes: number;
}

export interface TelemetryChildReady {
  port: number;
}

// Together fewer than UV_THREADPOOL_SIZE, the threads in which the engine's calls wait: file reads, kills
// and health checks must always find one.
// The lanes of the server's query gateway (6 + 3 + 2 + 1 + 3) fit in, so that none of them waits here for another.
const QUERIES_AT_ONCE = 15;
const INSERTS_AT_ONCE = 4;
const STREAMS_AT_ONCE = 4;
const LONGEST_QUEUE = 1_000;

/**
 * Where the engine hands over a result as a whole, there is a limit to what one may hold, counted in the
 * engine's own representation: beyond it a query fails with code 396. Formats of single rows are sent block by block.
 */
const LARGEST_RESULT_BYTES = 256 * 1024 * 1024;

/** At the end, what runs gets so long to finish; then it is killed. */
const LAST_ANSWERS_MS = 2_000;

/** Of the engine's memory: one query must not be able to starve the inserts. */
const QUERY_MEMORY_SHARE = 0.6;

runChild<TelemetryChildConfig, TelemetryChildReady>(async (config, parent) => {
  const lock = await claimStoreDirectory(config.dir, parent);
  const engineDir = join(config.dir, 'engine');
  await mkdir(engineDir, { recursive: true, mode: 0o700 });
  await forgetUnfinishedInserts(engineDir);
  const spool = await openSpool(join(config.dir, 'spool'));
  const engine = openEngine(loadNative(), engineDir, [`--max_server_memory_usage=${config.memoryBytes}`]);
  const version = await engine.query({ id: 'version', format: 'TabSeparated', sql: 'SELECT version()' });

  const server = createHttpInterface({
    engine,
    spool,
    password: config.password,
    version: Buffer.from(version.bytes).toString().trim(),
    queries: openLane(QUERIES_AT_ONCE, LONGEST_QUEUE),
    streams: openLane(STREAMS_AT_ONCE, LONGEST_QUEUE),
    inserts: openLane(INSERTS_AT_ONCE, LONGEST_QUEUE),
    queryDefaults: new Map([
      ['max_result_bytes', String(LARGEST_RESULT_BYTES)],
      ['max_memory_usage', String(Math.floor(config.memoryBytes * QUERY_MEMORY_SHARE))],
    ]),
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    ready: { port },
    // Not through the lanes: a store that is only busy must not be taken for a stuck one. Nor must one
    // whose memory is used up by a query, so an exception of the engine's is an answer, too.
    check: async () => {
      await engine.query({ id: 'check', format: 'Null', sql: 'SELECT 1' }).catch((error) => {
        if (codeOf(String(error)) === undefined) throw error;
      });
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const impatience = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
      await closed;
      clearTimeout(impatience);
      engine.close();
      lock.release();
    },
  };
});
