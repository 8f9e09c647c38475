import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../test/support/server-process.ts';
import { startBenchServer } from '../ingest/server.ts';
import { cpuSeconds } from '../load.ts';
import { type PostTarget, postBodies, remoteWriteHeaders } from '../post-bodies.ts';

export interface RemoteWriteResult {
  /** Samples a second: until the last acknowledgement, and until all of them were in the store. */
  acknowledged: number;
  stored: number;
  /** Whether the store holds what was acknowledged, no more and no less. */
  exact: boolean;
  refused: number;
  p50: number;
  p99: number;
  /** Seconds of processor time for a million samples, by process, the sender apart. */
  cpu: Readonly<Record<string, number>>;
  total: number;
  sender: number;
}

/** A store of samples in processes of its own. */
export interface RemoteWriteStore {
  target: PostTarget;
  /** Seconds of processor time so far, by process. */
  cpu(): Record<string, number>;
  /** Samples that it holds. */
  stored(): Promise<number>;
  stop(): Promise<void>;
}

const LONGEST_WAIT_MS = 120_000;

/** Sends bodies of so many samples to a store, and waits until it holds all of them. */
export async function measureRemoteWrite(
  store: RemoteWriteStore,
  bodies: readonly (readonly Buffer[])[],
  samplesOfBody: number,
  seconds: number,
): Promise<RemoteWriteResult> {
  const before = store.cpu();
  const start = performance.now();
  const sent = await postBodies(store.target, bodies, seconds);
  const samples = (sent.requests - sent.refused) * samplesOfBody;
  let stored = await store.stored();
  while (stored < samples && performance.now() - start < LONGEST_WAIT_MS) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    stored = await store.stored();
  }
  const storedSeconds = (performance.now() - start) / 1000;
  const after = store.cpu();
  const cpu = Object.fromEntries(
    Object.entries(after).map(([name, used]) => [name, ((used - (before[name] ?? 0)) * 1e6) / samples]),
  );
  return {
    acknowledged: samples / sent.seconds,
    stored: samples / storedSeconds,
    exact: stored === samples,
    refused: sent.refused,
    p50: sent.p50,
    p99: sent.p99,
    cpu,
    total: Object.values(cpu).reduce((sum, one) => sum + one, 0),
    sender: (sent.cpu * 1e6) / samples,
  };
}

export async function startFanion(fsync: boolean): Promise<RemoteWriteStore> {
  const server = await startBenchServer(fsync);
  return {
    target: {
      port: server.port,
      path: '/prometheus/api/v1/write',
      headers: { ...remoteWriteHeaders, authorization: `Bearer ${server.token}` },
    },
    cpu: () => ({ ...server.cpu() }),
    async stored() {
      const { rows } = await server.store.query('SELECT count() FROM metric_points');
      return Number(rows[0]?.[0]);
    },
    stop: server.stop,
  };
}

/** Prometheus as Debian installs it, with its receiver of remote write. */
export async function startPrometheus(program = '/usr/bin/prometheus'): Promise<RemoteWriteStore> {
  const dir = mkdtempSync(join(tmpdir(), 'prometheus-bench-'));
  const port = await freePort();
  writeFileSync(join(dir, 'empty.yml'), '');
  const options = [`--config.file=${join(dir, 'empty.yml')}`, `--storage.tsdb.path=${join(dir, 'data')}`];
  const child = spawn(
    program,
    [...options, `--web.listen-address=127.0.0.1:${port}`, '--web.enable-remote-write-receiver', '--log.level=error'],
    { stdio: 'ignore' },
  );
  const base = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${base}/-/ready`)
      .then((answer) => answer.ok)
      .catch(() => false);
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    target: { port, path: '/api/v1/write', headers: remoteWriteHeaders },
    cpu: () => ({ prometheus: cpuSeconds(child.pid ?? 0) }),
    async stored() {
      const text = await (await fetch(`${base}/metrics`)).text();
      return Number(/^prometheus_tsdb_head_samples_appended_total(?:\{type="float"\})? (\S+)$/m.exec(text)?.[1]);
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
