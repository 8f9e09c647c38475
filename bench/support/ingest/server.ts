import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedStore, startTelemetryStore } from '@fanion/embedded';
import { defaultMemory, engineShare } from '../../../packages/server/src/memory-rules.ts';
import { type ClickHouse, createClickHouse } from '../../../packages/server/src/platform/clickhouse/index.ts';
import { type SignedUp, signUp } from '../../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../../../test/support/server-process.ts';
import { cpuSeconds, type Memory, memoryOf } from '../load.ts';

export const quiet = { info() {}, warn: console.error, error: console.error };

export interface ProcessMemory {
  readonly server: Memory;
  readonly store: Memory;
  readonly control: Memory;
  /** All at this moment. */
  readonly sum: Memory;
}

/** An installed server with its stores, on a fresh directory. The telemetry store is a child of the benchmark. */
export interface BenchServer {
  readonly port: number;
  readonly grpcPort: number;
  readonly token: string;
  readonly user: SignedUp;
  /** Direct access to the telemetry store. */
  readonly store: ClickHouse;
  /** The server's process. */
  readonly pid: number;
  /** The process of the telemetry store. */
  readonly enginePid: number;
  cpu(): { server: number; store: number };
  memory(): ProcessMemory;
  stop(): Promise<void>;
}

export async function startBenchServer(fsync: boolean): Promise<BenchServer> {
  const dir = mkdtempSync(join(tmpdir(), 'fanion-bench-'));
  const engine: EmbeddedStore = await startTelemetryStore({
    dir: join(dir, 'store'),
    memoryBytes: engineShare(defaultMemory),
    log: quiet,
  });
  const [port, grpcPort] = [await freePort(), await freePort()];
  const server: ServerProcess = await serveProcess(join(dir, 'server'), port, {
    CLICKHOUSE_URL: engine.url,
    FANION_OTLP_GRPC_PORT: String(grpcPort),
    FANION_WAL_MAX_BYTES: '16GiB',
    FANION_WAL_FSYNC: fsync ? 'on' : 'off',
    FANION_PROJECT_ITEMS_PER_SECOND: '100000000',
    FANION_PROJECT_BYTES_PER_SECOND: '100000000000',
    FANION_PROJECT_SERIES_PER_DAY: '10000000',
  });
  const user = await signUp(server.base);
  const token = await user.token(['telemetry:ingest']);
  const store = createClickHouse({ url: engine.url, database: 'fanion', requestTimeoutMs: 900_000 });
  const pid = server.child.pid ?? 0;
  const enginePid = engine.pid() ?? 0;
  const control = childOf(pid);
  return {
    port,
    grpcPort,
    token,
    user,
    store,
    pid,
    enginePid,
    cpu: () => ({ server: cpuSeconds(pid), store: cpuSeconds(enginePid) }),
    memory() {
      const each = { server: memoryOf(pid), store: memoryOf(enginePid), control: memoryOf(control) };
      const total = (of: keyof Memory) => each.server[of] + each.store[of] + each.control[of];
      return { ...each, sum: { whole: total('whole'), own: total('own'), shared: total('shared') } };
    },
    async stop() {
      await store.close();
      await server.end('SIGTERM');
      await engine.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The server's only child here is the control plane's store. */
function childOf(pid: number): number {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=']).toString().trim().split('\n');
  const line = lines.map((text) => text.trim().split(/\s+/)).find(([, parent]) => parent === String(pid));
  return Number(line?.[0] ?? pid);
}
