import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelemetryStore } from '@fanion/embedded';
import { createClickHouse } from '../../../packages/server/src/platform/clickhouse/index.ts';
import { until } from '../../../packages/server/src/testing/test-client.ts';
import { type Endpoint, endpoints, histogramsOfBatch, type Target } from './endpoints.ts';
import { ownMetrics, walBytes } from './processes.ts';

/** Acknowledged batches by id. */
export type Acknowledged = ReadonlyMap<string, Endpoint>;

export interface Tally {
  readonly batches: number;
  readonly lost: readonly string[];
  /** Batches with more or fewer rows in the store than were acknowledged. */
  readonly wrong: readonly string[];
}

/** Senders, one for each endpoint, that send until they are stopped. */
export interface Pushing {
  readonly acknowledged: Map<string, Endpoint>;
  /** Called for each request, since the server may have restarted at another address. */
  stop(): Promise<void>;
}

let batches = 0;

/** Sends through all endpoints at once. Each batch has its own id and is sent once, whatever the result. */
export function push(
  target: () => Target,
  options: {
    acknowledged?: Map<string, Endpoint>;
    endpoints?: readonly Endpoint[];
    times(batch: number): readonly number[];
    onAnswer?(ms: number): void;
  },
): Pushing {
  const acknowledged = options.acknowledged ?? new Map<string, Endpoint>();
  let stopped = false;
  const senders = (options.endpoints ?? endpoints).map(async (endpoint) => {
    while (!stopped) {
      const number = batches++;
      const id = `batch-${number}`;
      const began = performance.now();
      const isAcknowledged = await endpoint.send(target(), id, options.times(number));
      options.onAnswer?.(performance.now() - began);
      if (isAcknowledged) acknowledged.set(id, endpoint);
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  return {
    acknowledged,
    async stop() {
      stopped = true;
      await Promise.all(senders);
    },
  };
}

/** Resolves when the server has stored everything that it acknowledged. */
export async function drained(base: string, dataDir: string, timeoutMs: number): Promise<void> {
  await until(async () => {
    const pending = (await ownMetrics(base)).get('fanion_ingest_pending_segments');
    return pending === 0 && walBytes(dataDir) === 0;
  }, timeoutMs);
}

/**
 * Compares the acknowledged batches with the rows in a telemetry store, counted with the test's own SQL.
 * @param url of the store; its database is `fanion`
 */
export async function compareWith(url: string, acknowledged: Acknowledged): Promise<Tally> {
  const store = createClickHouse({ url, database: 'fanion' });
  const read = async (statement: string) => {
    const rows = await store.queryRows<{ batch: string; rows: string }>(statement, {
      limits: { maxResultRows: 10_000_000 },
    });
    return new Map(rows.map(({ batch, rows: count }) => [batch, Number(count)]));
  };
  try {
    const stored = new Map<string, Map<string, number>>();
    for (const { stored: statement } of [...endpoints, histogramsOfBatch])
      if (!stored.has(statement)) stored.set(statement, await read(statement));
    const expected = [...acknowledged].flatMap(([id, endpoint]) => [
      { id, ...endpoint },
      ...(endpoint.stored === endpoints[5]?.stored ? [{ id, ...endpoint, ...histogramsOfBatch }] : []),
    ]);
    const found = expected.map(({ id, rows, stored: statement, name }) => ({
      of: `${id} (${name})`,
      rows,
      count: stored.get(statement)?.get(id) ?? 0,
    }));
    return {
      batches: acknowledged.size,
      lost: found.filter(({ count }) => count === 0).map(({ of }) => of),
      wrong: found.filter(({ count, rows }) => count > 0 && count !== rows).map(({ of, count }) => `${of}: ${count}`),
    };
  } finally {
    await store.close();
  }
}

/** Opens the embedded store of a server that has ended. */
async function withStoreOf<T>(dataDir: string, use: (url: string) => Promise<T>): Promise<T> {
  const log = { info() {}, warn() {}, error() {} };
  const store = await startTelemetryStore({ dir: join(dataDir, 'telemetry'), memoryBytes: 2 * 1024 ** 3, log });
  try {
    return await use(store.url);
  } finally {
    await store.stop();
  }
}

/** Compares with the embedded store of a server that has ended. */
export function compareWithDirectory(dataDir: string, acknowledged: Acknowledged): Promise<Tally> {
  return withStoreOf(dataDir, (url) => compareWith(url, acknowledged));
}

/** The `rows` that each statement counts in the embedded store of a server that has ended. */
export function countIn<Name extends string>(
  dataDir: string,
  statements: Readonly<Record<Name, string>>,
): Promise<Record<Name, number>> {
  return withStoreOf(dataDir, async (url) => {
    const store = createClickHouse({ url, database: 'fanion' });
    const counts: [string, number][] = [];
    for (const [name, statement] of Object.entries<string>(statements)) {
      const [row] = await store.queryRows<{ rows: string }>(statement);
      counts.push([name, Number(row?.rows)]);
    }
    await store.close();
    return Object.fromEntries(counts) as Record<Name, number>;
  });
}

export function tallyText({ batches: count, lost, wrong }: Tally): string {
  return `${count} acknowledged batches: lost ${lost.length}, partial or duplicated ${wrong.length}`;
}

/** A directory that is removed by `remove`. */
export function freshDirectory(name: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `fanion-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}
