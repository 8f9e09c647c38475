import type { Signal } from '@fanion/telemetry';
import type { Memory } from '../load.ts';
import type { Protocol } from './requests.ts';
import { type BenchServer, type ProcessMemory, startBenchServer } from './server.ts';
import { startSender } from './start-sender.ts';

export interface RunOptions {
  signal: Signal;
  protocol: Protocol;
  gzip: boolean;
  connections: number;
  seconds: number;
  /** Items per second; 0: as many as are accepted. */
  rate: number;
  fsync: boolean;
  /** Whether to report sizes after `OPTIMIZE FINAL` too. */
  optimize: boolean;
}

export interface RunResult {
  /** Per second: until the last acknowledgement, and until all of them could be queried. */
  acknowledged: number;
  stored: number;
  /** Megabytes a second, stored. */
  megabytes: number;
  /** Whether the store contains exactly what was acknowledged. */
  exact: boolean;
  refused: number;
  /** Of acknowledgements, milliseconds. */
  p50: number;
  p99: number;
  /** Of a dashboard's query under this load, milliseconds. */
  query: number;
  /** Microseconds of processor time an item. */
  cpu: { server: number; store: number; sender: number };
  /** The highest of each figure. */
  memory: ProcessMemory;
  /** Ten seconds after everything is stored. */
  atRest: ProcessMemory;
  /** Bytes a row on disk. */
  merged: number;
  optimized: number | undefined;
  /** Of those bytes, the columns that take most. */
  columns: string | undefined;
  parts: number;
}

export const tables: Readonly<Record<string, string>> = { traces: 'spans', logs: 'logs', metrics: 'metric_points' };
const dashboards: Readonly<Record<string, string>> = {
  traces: 'spans | stats n=count(), p99=p99(duration) by bucket(10s), service.name',
  logs: 'logs | stats n=count() by bucket(10s), severity',
  metrics: 'metric app.requests_1 | rate | sum by service.name',
};
/** The interval of an open dashboard. */
const QUERY_EVERY_MS = 5000;
const MEMORY_EVERY_MS = 1000;
const REST_MS = 10_000;
const STORED_POLL_MS = 50;
const LONGEST_WAIT_MS = 300_000;

/** One measurement on a fresh server. */
export async function run(options: RunOptions): Promise<RunResult> {
  const server = await startBenchServer(options.fsync);
  try {
    return await measure(server, options);
  } finally {
    await server.stop();
  }
}

async function measure(server: BenchServer, options: RunOptions): Promise<RunResult> {
  const { signal, protocol } = options;
  const { gzip, connections, rate } = options;
  const port = protocol === 'grpc' ? server.grpcPort : server.port;
  const sender = await startSender({ port, token: server.token, signal, protocol, gzip, connections, rate });
  try {
    const watched = watch(server, signal);
    const before = server.cpu();
    const start = performance.now();
    sender.go();
    await new Promise((resolve) => setTimeout(resolve, options.seconds * 1000));
    const sent = await sender.stop();
    const ackSeconds = (performance.now() - start) / 1000;
    const rows = await untilStored(server, signal, sent.acknowledged);
    const storedSeconds = (performance.now() - start) / 1000;
    const { memory, query } = await watched.stop();
    const after = server.cpu();
    const perItem = (seconds: number) => (seconds * 1e6) / sent.acknowledged;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    const atRest = server.memory();
    const merged = await sizeOf(server, signal);
    let optimized: number | undefined;
    let columns: string | undefined;
    if (options.optimize) {
      await server.store.command(`OPTIMIZE TABLE ${tables[signal]} FINAL`);
      optimized = (await sizeOf(server, signal)).bytes;
      columns = await largestColumns(server, signal);
    }
    return {
      acknowledged: sent.acknowledged / ackSeconds,
      stored: sent.acknowledged / storedSeconds,
      megabytes: sent.bytes / storedSeconds / 1e6,
      exact: rows === sent.acknowledged,
      refused: sent.refused,
      p50: sent.p50,
      p99: sent.p99,
      query,
      cpu: {
        server: perItem(after.server - before.server),
        store: perItem(after.store - before.store),
        sender: perItem(sent.cpu),
      },
      memory,
      atRest,
      merged: merged.bytes,
      optimized,
      columns,
      parts: merged.parts,
    };
  } finally {
    sender.kill();
  }
}

async function untilStored(server: BenchServer, signal: Signal, wanted: number): Promise<number> {
  const end = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const { rows } = await server.store.query(`SELECT count() FROM ${tables[signal]}`);
    const stored = Number(rows[0]?.[0]);
    if (stored >= wanted || performance.now() > end) return stored;
    await new Promise((resolve) => setTimeout(resolve, STORED_POLL_MS));
  }
}

async function sizeOf(server: BenchServer, signal: Signal): Promise<{ bytes: number; parts: number }> {
  const { rows } = await server.store.query(
    `SELECT sum(bytes_on_disk) / sum(rows), count() FROM system.parts
     WHERE active AND table = '${tables[signal]}' AND database = 'fanion'`,
  );
  return { bytes: Number(rows[0]?.[0]), parts: Number(rows[0]?.[1]) };
}

async function largestColumns(server: BenchServer, signal: Signal): Promise<string> {
  const { rows } = await server.store.query(
    `SELECT name, data_compressed_bytes / (SELECT count() FROM ${tables[signal]}) AS bytes FROM system.columns
     WHERE table = '${tables[signal]}' AND database = 'fanion' AND bytes >= 0.2 ORDER BY bytes DESC`,
  );
  return rows.map(([name, bytes]) => `${name} ${Number(bytes).toFixed(1)}`).join(', ');
}

/** Measures memory every second, and runs a dashboard's query every five. */
function watch(server: BenchServer, signal: Signal) {
  let highest = server.memory();
  const measuring = setInterval(() => {
    highest = highestOf(highest, server.memory());
  }, MEMORY_EVERY_MS);
  const took: number[] = [];
  let isRunning = true;
  const ask = async () => {
    while (isRunning) {
      const start = performance.now();
      const answer = await server.user.post(`${server.user.workspace}/query`, {
        query: dashboards[signal],
        project: server.user.projectId,
        from: 'now-15m',
        to: 'now',
      });
      if (answer.status !== 200) throw new Error(`the dashboard's query: ${answer.status} ${answer.text}`);
      took.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, QUERY_EVERY_MS - (performance.now() - start))));
    }
  };
  const done = ask().finally(() => clearInterval(measuring));
  done.catch(() => {
    // Told by `stop`.
  });
  return {
    async stop() {
      isRunning = false;
      await done;
      took.sort((a, b) => a - b);
      return { memory: highest, query: took[Math.floor(took.length * 0.99)] ?? Number.NaN };
    },
  };
}

function highestOf(a: ProcessMemory, b: ProcessMemory): ProcessMemory {
  const higher = (one: Memory, other: Memory): Memory => ({
    whole: Math.max(one.whole, other.whole),
    own: Math.max(one.own, other.own),
    shared: Math.max(one.shared, other.shared),
  });
  return {
    server: higher(a.server, b.server),
    store: higher(a.store, b.store),
    control: higher(a.control, b.control),
    sum: higher(a.sum, b.sum),
  };
}
