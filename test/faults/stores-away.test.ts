import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess, startProcess } from '../support/server-process.ts';
import { type Endpoint, itemsOfBatch, logs, protobuf, type Target, targetOf } from './support/endpoints.ts';
import { type Answer, exportOver, grpcCode } from './support/grpc.ts';
import { memoryOf, ownMetrics, percentile, signal, storesOf } from './support/processes.ts';
import { compareWith, drained, freshDirectory, push, tallyText } from './support/stored.ts';

/** `OUTAGE_SECONDS=60` for the figures of docs/guides/reliability.md. */
const seconds = Number(process.env.OUTAGE_SECONDS ?? 2);
const mebibyte = 1024 ** 2;
const times = () => Array.from({ length: itemsOfBatch }, (_, i) => Date.now() - 1000 - i);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Evaluates flags and measures how long telemetry takes to be acknowledged, until stopped. */
function watch(evaluate: () => Promise<number>) {
  const evaluations: number[] = [];
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      evaluations.push(await evaluate().catch(() => 0));
      await pause(5);
    }
  })();
  return {
    /** The numbers of failed and of all requests. */
    async stop(): Promise<{ failed: number; all: number }> {
      stopped = true;
      await running;
      return { failed: evaluations.filter((status) => status !== 200).length, all: evaluations.length };
    },
  };
}

async function evaluator(user: SignedUp): Promise<() => Promise<number>> {
  const flag = await user.post(`${user.project}/flags`, { key: 'steady', name: 'steady', kind: 'boolean' });
  expect(flag.status, flag.text).toBe(201);
  const sdk = testClient(user.base, { bearer: await user.sdkKey() });
  const evaluate = async () =>
    (await sdk.post('/ofrep/v1/evaluate/flags/steady', { context: { targetingKey: 'u' } })).status;
  expect(await evaluate()).toBe(200);
  return evaluate;
}

describe('the telemetry store is half-open, then down', () => {
  const directory = freshDirectory('away');
  let storePort: number;
  let store: ReturnType<typeof startProcess>;
  let server: ServerProcess;
  let target: Target;
  let evaluate: () => Promise<number>;

  const url = () => `http://default:a-password@127.0.0.1:${storePort}`;
  async function startStore(): Promise<void> {
    const args = ['stores', '--clickhouse', '--port', String(storePort), '--password', 'a-password'];
    store = startProcess(args, { FANION_DATA_DIR: `${directory.path}/store` });
    await until(async () => store.output().includes('CLICKHOUSE_URL='), 60_000);
  }
  /** Signals the store's process, and the one that would restart it. */
  function signalStore(name: NodeJS.Signals): void {
    const { telemetry } = storesOf(store.child.pid);
    signal(store.child.pid, name);
    signal(telemetry, name);
  }

  beforeAll(async () => {
    storePort = await freePort();
    await startStore();
    const grpcPort = await freePort();
    server = await serveProcess(`${directory.path}/server`, await freePort(), {
      FANION_OTLP_GRPC_PORT: String(grpcPort),
      FANION_WAL_MAX_BYTES: '64MiB',
      CLICKHOUSE_URL: url(),
    });
    const user = await signUp(server.base);
    target = targetOf(server.base, grpcPort, await user.token(['telemetry:ingest']));
    evaluate = await evaluator(user);
  });
  afterAll(async () => {
    target?.grpc.close();
    await server?.end('SIGKILL');
    if (store !== undefined) signalStore('SIGKILL');
    directory.remove();
  });

  function megabyte(id: string): Buffer {
    const batch = logs(id, Array(1000).fill(Date.now() - 1000));
    const [resource] = batch.resourceLogs;
    for (const record of resource?.scopeLogs[0]?.logRecords ?? []) record.body.stringValue = 'x'.repeat(1000);
    return protobuf('logs', batch);
  }
  /** Log lines that fill the write-ahead log. */
  const large: Endpoint = {
    name: 'large',
    rows: 1000,
    stored: `SELECT string_attributes['batch'] AS batch, count() AS rows FROM logs GROUP BY batch`,
    async send({ base, token }, id) {
      const response = await fetch(`${base}/v1/logs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-protobuf' },
        body: new Uint8Array(megabyte(id)),
      });
      last = { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
      return response.ok;
    },
  };
  let last = { status: 0, retryAfter: 0 };
  /** In a long run on a fast machine, the log is full before it is filled on purpose. */
  const isFull = async () => ((await ownMetrics(server.base)).get('fanion_wal_bytes') ?? 0) > 60 * mebibyte;

  it('ingest continues until the log is full, flags always work, and everything is stored once afterwards', async () => {
    const acknowledged = new Map<string, Endpoint>();
    const before = memoryOf(server.child.pid);
    const pushing = push(() => target, { acknowledged, times });
    await until(async () => acknowledged.size > 20, 60_000);
    const watched = watch(evaluate);

    signalStore('SIGSTOP');
    const atStop = acknowledged.size;
    await pause(seconds * 1000);
    await until(async () => (await isFull()) || acknowledged.size > atStop);
    signalStore('SIGKILL');
    const atKill = acknowledged.size;
    await pause(seconds * 1000);
    await until(async () => (await isFull()) || acknowledged.size > atKill);
    await pushing.stop();

    // Fill the log up to its limit.
    for (let i = 0; last.status !== 503; i++) {
      const id = `large-${i}`;
      if (await large.send(target, id, [])) acknowledged.set(id, large);
      expect(i).toBeLessThan(100);
    }
    expect(last.retryAfter).toBeGreaterThan(0);
    const overGrpc: Answer = await exportOver(target, 'logs', megabyte('refused'));
    expect(overGrpc.code).toBe(grpcCode.unavailable);
    expect(overGrpc.details?.includes('google.rpc.RetryInfo')).toBe(true);
    const metrics = await ownMetrics(server.base);
    const walMiB = (metrics.get('fanion_wal_bytes') ?? 0) / mebibyte;
    expect(walMiB).toBeLessThanOrEqual(64);
    const ready = await testClient(server.base).get('/readyz');
    expect([ready.status, ready.json.status]).toEqual([200, 'degraded']);
    const after = memoryOf(server.child.pid);
    // The log is on disk; the server holds only a few segments in memory.
    expect(after - before).toBeLessThan(600);

    await startStore();
    await until(async () => (await large.send(target, 'after', [])) && acknowledged.set('after', large), 60_000);
    await drained(server.base, `${directory.path}/server`, 600_000);
    const { failed, all } = await watched.stop();
    const tally = await compareWith(url(), acknowledged);
    console.log(
      `telemetry store half-open ${seconds} s and gone ${seconds} s: ${tallyText(tally)}; evaluations ${all}, failed ${failed}; ` +
        `log ${walMiB.toFixed(0)} MiB at its cap; memory ${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB at the cap`,
    );
    expect([tally.lost, tally.wrong, failed]).toEqual([[], [], 0]);
  }, 1_800_000);
});

describe('the control plane is half-open', () => {
  const directory = freshDirectory('control-away');
  let server: ServerProcess;
  let user: SignedUp;
  let target: Target;
  let evaluate: () => Promise<number>;

  beforeAll(async () => {
    const grpcPort = await freePort();
    server = await serveProcess(directory.path, await freePort(), { FANION_OTLP_GRPC_PORT: String(grpcPort) });
    user = await signUp(server.base);
    target = targetOf(server.base, grpcPort, await user.token(['telemetry:ingest']));
    evaluate = await evaluator(user);
  });
  afterAll(async () => {
    const { control } = storesOf(server?.child.pid);
    signal(control, 'SIGCONT');
    target?.grpc.close();
    await server?.end('SIGKILL');
    directory.remove();
  });

  it('accepts valid tokens and serves flags without delay', async () => {
    const acknowledged = new Map<string, Endpoint>();
    const latencies: number[] = [];
    const pushing = push(() => target, { acknowledged, times, onAnswer: (ms) => latencies.push(ms) });
    await until(async () => acknowledged.size > 20, 60_000);
    const { control } = storesOf(server.child.pid);
    signal(control, 'SIGSTOP');
    const watched = watch(evaluate);
    latencies.length = 0;
    const atStop = acknowledged.size;
    // Longer than the server caches a token.
    await pause(Math.max(3, seconds) * 1000);
    await until(async () => acknowledged.size > atStop);
    const meanwhile = acknowledged.size - atStop;
    const p99 = percentile(latencies, 0.99);
    signal(control, 'SIGCONT');
    await until(async () => (await user.get(`${user.project}/flags`)).status === 200, 60_000);
    await pushing.stop();
    const { failed, all } = await watched.stop();
    await drained(server.base, directory.path, 600_000);
    console.log(
      `control plane half-open: ${meanwhile} batches acknowledged meanwhile, p99 ${p99.toFixed(0)} ms; evaluations ${all}, failed ${failed}`,
    );
    expect(failed).toBe(0);
  }, 1_200_000);
});
