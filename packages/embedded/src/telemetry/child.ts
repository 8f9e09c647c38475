import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { StoreLog } from '../store.ts';
import { claimStoreDirectory } from '../store-directory.ts';
import { leave, runChild } from '../supervisor/child.ts';
import { loweringThreads, lowerPriority } from '../supervisor/lower-priority.ts';
import { watchParts } from './damaged-parts.ts';
import { openEngine } from './engine.ts';
import { insertsAtOnce, memoryArguments } from './engine-memory.ts';
import { codeOf } from './exceptions.ts';
import { type FrozenTelemetry, freezeTables, gatherFrozen, removeFrozen } from './freeze.ts';
import { type GranuleRows, refineGranules } from './granules.ts';
import { createHttpInterface } from './http.ts';
import { openLane } from './lanes.ts';
import { loadNative } from './native.ts';
import { createPartRemoval } from './replaced-parts.ts';
import { openSpool } from './spool.ts';
import { mendUnfinishedInserts } from './unfinished-inserts.ts';
import { openWriteGate } from './write-gate.ts';

export interface TelemetryChildConfig {
  dir: string;
  /** 0 for any free one. */
  port: number;
  password: string;
  memoryBytes: number;
  granuleRows: GranuleRows;
}

export interface TelemetryChildReady {
  port: number;
}

/** See `TelemetryStore`. */
export type TelemetryChildCalls = {
  holdWrites(forMs: number): Promise<void>;
  releaseWrites(): Promise<void>;
  freeze(name: string): Promise<void>;
  gatherFrozen(name: string): Promise<FrozenTelemetry>;
  removeFrozen(name: string): Promise<void>;
};

// Together fewer than UV_THREADPOOL_SIZE, the number of threads in which calls of the engine wait: file reads, kills
// and health checks must always get one. The lanes of the server's query gateway (6 + 3 + 2 + 1 + 3) fit, so that none
// waits here for another.
const QUERIES_AT_ONCE = 15;
const STREAMS_AT_ONCE = 4;
const LONGEST_QUEUE = 1_000;

/**
 * Limit of a result that the engine returns as a whole, in the engine's own representation; beyond it a query fails
 * with code 396. Formats of single rows are sent block by block.
 */
const LARGEST_RESULT_BYTES = 256 * 1024 * 1024;

/** Time for running queries to finish at the end; then they are killed. */
const LAST_ANSWERS_MS = 2_000;

/** Share of the engine's memory for one query, so that it cannot starve the inserts. */
const QUERY_MEMORY_SHARE = 0.6;

/**
 * Steps of `nice` below the server. Between two busy threads, the engine's gets a quarter of a core: enough to store what
 * a busy server accepts (docs/decisions/0050-flag-evaluation-has-priority.md).
 */
const BELOW_SERVER = 5;

/**
 * Steps of `nice` of merges below the rest of the engine: a read on a busy core gets three quarters of it beside a merge. Merges are never
 * starved, or reads would meet ever more parts (docs/decisions/0050-flag-evaluation-has-priority.md).
 */
const MERGES_BELOW_READS = 5;
/** The name that the engine gives to its threads for merges. */
const MERGES = 'MergeMutate';

runChild<TelemetryChildConfig, TelemetryChildReady>(async (config, parent, log) => {
  // Before the engine starts its threads, which inherit it.
  lowerIfAllowed(() => lowerPriority(BELOW_SERVER), log);
  const lowerMerges = loweringThreads(MERGES, MERGES_BELOW_READS);
  const lock = await claimStoreDirectory(config.dir, parent);
  const engineDir = join(config.dir, 'engine');
  await mkdir(engineDir, { recursive: true, mode: 0o700 });
  await mendUnfinishedInserts(engineDir);
  // Left by a backup that a kill ended.
  await removeFrozen(config.dir);
  await refineGranules(engineDir, config.granuleRows);
  const spool = await openSpool(join(config.dir, 'spool'));
  const engine = openEngine(loadNative(), engineDir, memoryArguments(config.memoryBytes));
  const version = await engine.query({ id: 'version', format: 'TabSeparated', sql: 'SELECT version()' });

  const parts = watchParts(engine, engineDir, (damaged) => {
    log.error({ parts: damaged }, 'the disk was full while parts were written: they are set aside');
    leave();
  });
  const removeParts = createPartRemoval(engine);
  const gate = openWriteGate((beganAt) => parts.afterWrite(beganAt));
  const server = createHttpInterface({
    gate,
    engine,
    spool,
    password: config.password,
    version: Buffer.from(version.bytes).toString().trim(),
    queries: openLane(QUERIES_AT_ONCE, LONGEST_QUEUE),
    streams: openLane(STREAMS_AT_ONCE, LONGEST_QUEUE),
    inserts: openLane(insertsAtOnce(config.memoryBytes), LONGEST_QUEUE),
    queryDefaults: new Map([['max_result_bytes', String(LARGEST_RESULT_BYTES)]]),
    queryMemoryBytes: Math.floor(config.memoryBytes * QUERY_MEMORY_SHARE),
  });
  server.listen(config.port, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const calls: TelemetryChildCalls = {
    holdWrites: (forMs) => gate.hold(forMs),
    releaseWrites: async () => gate.release(),
    freeze: (name) => freezeTables(engine, config.dir, name),
    gatherFrozen: (name) => gatherFrozen(engine, config.dir, name),
    removeFrozen: (name) => removeFrozen(config.dir, name),
  };
  return {
    ready: { port },
    calls,
    // Bypasses the lanes, so that a busy store is not mistaken for a stuck one. The same holds for a store whose memory
    // is used up by a query, so an exception of the engine counts as an answer.
    check: async () => {
      // The engine starts them with its first table, and keeps them.
      lowerIfAllowed(lowerMerges, log);
      // On a reused connection, as it is asked every two seconds.
      const settings = new Map([['readonly', '1']]);
      const query = engine.query({ id: 'check', format: 'Null', sql: 'SELECT 1', settings });
      await query
        .then(() => parts.check())
        .then(removeParts)
        .catch((error) => {
          if (codeOf(String(error)) === undefined) throw error;
        });
    },
    close: async () => {
      await closeServer(server);
      engine.close();
      lock.release();
    },
  };
});

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const impatience = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  await closed;
  clearTimeout(impatience);
}

function lowerIfAllowed(lower: () => void, log: StoreLog): void {
  try {
    lower();
  } catch (error) {
    log.info({ error: String(error) }, 'the priority of the telemetry store cannot be lowered');
  }
}
