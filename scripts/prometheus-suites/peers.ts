import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../packages/server/src/testing/free-port.ts';
import { type TestSeries, writeRequest1 } from '../../packages/telemetry/src/testing/remote-write.ts';
import type { Matrix } from './compare.ts';

/** Something that takes remote write and answers PromQL. */
export interface Peer {
  /** Of remote write. */
  readonly write: string;
  /** Of the HTTP API, up to `/api/v1`. */
  readonly api: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Resolves when what was sent can be read. */
  settle(): Promise<void>;
}

export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

const seriesAtOnce = 200;
/** Queries at the same time, and how often one is sent to a peer that is busy. */
const queriesAtOnce = 3;
const triesOfBusy = 60;
const hourMs = 3_600_000;

/** Works on a few at the same time. */
export async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const worker = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: queriesAtOnce }, worker));
}

/** Debian's Prometheus with a fresh directory, which takes samples of past days. */
export async function startPrometheus(): Promise<Peer & { stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'prometheus-suites-'));
  const port = await freePort();
  const config = join(directory, 'prometheus.yml');
  await writeFile(config, 'storage: { tsdb: { out_of_order_time_window: 30d } }\n');
  const child: ChildProcess = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${directory}/data`,
      '--storage.tsdb.retention.time=60d',
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-remote-write-receiver',
    ],
    { stdio: 'ignore' },
  );
  const base = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${base}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await sleep(100);
  return {
    write: `${base}/api/v1/write`,
    api: `${base}/api/v1`,
    headers: {},
    settle: async () => {},
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Sends series to a peer, an hour after the other, as they would have come. */
export async function send(peer: Peer, series: readonly TestSeries[]): Promise<void> {
  const times = series.flatMap(({ samples = [] }) => [samples[0]?.time ?? Infinity, samples.at(-1)?.time ?? 0]);
  const last = times.reduce((a, b) => Math.max(a, b), 0);
  for (let from = times.reduce((a, b) => Math.min(a, b), Infinity); from <= last; from += hourMs) {
    const inHour = series.flatMap(({ labels, samples = [] }): TestSeries[] => {
      const part = samples.filter(({ time }) => time >= from && time < from + hourMs);
      return part.length === 0 ? [] : [{ labels, samples: part }];
    });
    for (let at = 0; at < inHour.length; at += seriesAtOnce) {
      const response = await fetch(peer.write, {
        method: 'POST',
        headers: { ...peer.headers, 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
        body: new Uint8Array(writeRequest1(inHour.slice(at, at + seriesAtOnce))),
      });
      if (!response.ok) throw new Error(`${peer.write}: ${response.status} ${await response.text()}`);
    }
  }
  await peer.settle();
}

/** The answer of a range query, or the text of its error. */
export async function ask(peer: Peer, query: string, { fromMs, toMs, stepMs }: Range): Promise<Matrix | string> {
  const body = new URLSearchParams({
    query,
    start: String(fromMs / 1000),
    end: String(toMs / 1000),
    step: String(stepMs / 1000),
  });
  const asked = () => fetch(`${peer.api}/query_range`, { method: 'POST', headers: peer.headers, body });
  let response = await asked();
  for (let tries = 1; response.status === 429 && tries < triesOfBusy; tries++) {
    await sleep(1_000);
    response = await asked();
  }
  const text = await response.text();
  if (!response.ok) return `${response.status} ${text}`;
  const { data } = JSON.parse(text);
  return data.result;
}
