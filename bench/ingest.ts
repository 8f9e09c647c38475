/**
 * Spans, log records or data points per second through OTLP/HTTP (protobuf, 500 items a request), acknowledged and
 * stored, beside the limits of the same machine in the same run: bare writes with fsync, and bare inserts.
 *
 *   npx tsx bench/ingest.ts [--signal traces|logs|metrics] [--seconds 20] [--connections 8] [--gzip]
 *     [--no-pair-index]   what merges cost without text indexes; queries by pair fail then
 */
import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writevSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { startTelemetryStore } from '@fanion/embedded';
import Fastify from 'fastify';
import { createIngest, type IngestPrincipal } from '../packages/server/src/features/ingest/index.ts';
import { BufferPool } from '../packages/server/src/features/ingest/transcode/buffer-pool.ts';
import { SegmentTranscoder } from '../packages/server/src/features/ingest/transcode/segment.ts';
import { SeriesCache } from '../packages/server/src/features/ingest/transcode/series-cache.ts';
import { type TelemetryTable, tableColumns } from '../packages/server/src/features/ingest/transcode/tables.ts';
import { WireWriter } from '../packages/server/src/features/ingest/wire/writer.ts';
import { createClickHouse, migrateTelemetry } from '../packages/server/src/platform/clickhouse/index.ts';
import type { Signal } from '../packages/server/src/platform/wal/index.ts';
import { renew, renewableOf } from './support/renew.ts';

const ITEMS = 500;
const BATCHES = 400;
/** Spans, or lines of one span: what one request of a service's user leaves. */
const ITEMS_PER_TRACE = 10;
const { values } = parseArgs({
  options: {
    signal: { type: 'string', default: 'traces' },
    seconds: { type: 'string', default: '20' },
    connections: { type: 'string', default: '8' },
    gzip: { type: 'boolean', default: false },
    'no-pair-index': { type: 'boolean', default: false },
    generate: { type: 'string' },
  },
});
const signal = values.signal as Signal;
const connections = Number(values.connections);
const quiet = { info() {}, warn: console.error, error: console.error };

/** A seeded generator (mulberry32), so that each run sends the same data. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

type Attribute = readonly [key: string, value: string | number];

function attribute(writer: WireWriter, tag: number, [key, value]: Attribute): void {
  writer.varint(tag);
  writer.nested(() => {
    writer.varint(10);
    writer.string(key);
    writer.varint(18);
    writer.nested(() => {
      writer.varint(typeof value === 'string' ? 10 : 24);
      if (typeof value === 'string') writer.string(value);
      else writer.varint(value);
    });
  });
}

function batch(index: number, now: number): Buffer {
  const next = random(index + 1);
  const pick = (count: number) => Math.floor(next() * count);
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => 1 + pick(255)));
  const writer = new WireWriter();
  const service = `service-${index % 20}`;
  writer.varint(10);
  writer.nested(() => {
    writer.varint(10);
    writer.nested(() => {
      const host = `host-${index % 50}`;
      const resource: Attribute[] = [
        ['service.name', service],
        ['service.version', '1.4.2'],
        ['service.instance.id', host],
        ['deployment.environment.name', 'production'],
        ['telemetry.sdk.language', 'nodejs'],
        ['telemetry.sdk.name', 'opentelemetry'],
      ];
      for (const pair of resource) attribute(writer, 10, pair);
    });
    writer.varint(18);
    writer.nested(() => {
      writer.varint(10);
      writer.nested(() => {
        writer.varint(10);
        writer.string('@opentelemetry/instrumentation-http');
      });
      const time = (i: number) => BigInt(now - ITEMS + i) * 1_000_000n + BigInt(pick(1e6));
      if (signal === 'metrics') return metrics(writer, index, now, pick);
      let trace: Trace = { id: bytes(16), spans: [] };
      for (let i = 0; i < ITEMS; i++) {
        if (i % ITEMS_PER_TRACE === 0) trace = { id: bytes(16), spans: [] };
        writer.varint(18);
        writer.nested(() =>
          signal === 'traces' ? span(writer, time(i), pick, bytes, trace) : log(writer, time(i), pick, bytes, trace),
        );
      }
    });
  });
  return Buffer.from(writer.result());
}

type Pick = (count: number) => number;
interface Trace {
  id: Buffer;
  /** Ids of its spans so far. */
  spans: Buffer[];
}
const routes = ['/cart', '/cart/{id}', '/checkout', '/products', '/products/{id}', '/users/{id}', '/search', '/login'];

function span(writer: WireWriter, start: bigint, pick: Pick, bytes: (count: number) => Buffer, trace: Trace): void {
  const id = bytes(8);
  const parent = trace.spans[pick(trace.spans.length)];
  trace.spans.push(id);
  const route = routes[pick(routes.length)] ?? '';
  writer.varint(10);
  writer.raw(trace.id);
  writer.varint(18);
  writer.raw(id);
  if (parent !== undefined) {
    writer.varint(34);
    writer.raw(parent);
  }
  writer.varint(42);
  writer.string(`GET ${route}`);
  writer.varint(48);
  writer.varint(2);
  writer.varint(57);
  writer.fixed64(start);
  writer.varint(65);
  writer.fixed64(start + BigInt(1_000_000 + pick(200_000_000)));
  const attributes: Attribute[] = [
    ['http.request.method', 'GET'],
    ['http.route', route],
    ['http.response.status_code', pick(50) === 0 ? 500 : 200],
    ['url.path', `${route}/${pick(10_000)}`],
    ['server.address', 'shop.example.com'],
    ['server.port', 443],
    ['user_agent.original', 'Mozilla/5.0 (X11; Linux x86_64)'],
    ['network.peer.address', `10.0.${pick(255)}.${pick(255)}`],
    ['app.customer.id', `c-${pick(50_000)}`],
    ['app.cart.items', pick(30)],
  ];
  for (const pair of attributes) attribute(writer, 74, pair);
  writer.varint(122);
  writer.nested(() => {
    writer.varint(24);
    writer.varint(pick(50) === 0 ? 2 : 0);
  });
}

function log(writer: WireWriter, time: bigint, pick: Pick, bytes: (count: number) => Buffer, trace: Trace): void {
  trace.spans[0] ??= bytes(8);
  writer.varint(9);
  writer.fixed64(time);
  writer.varint(16);
  writer.varint(9 + 4 * pick(3));
  writer.varint(26);
  writer.string('INFO');
  writer.varint(42);
  writer.nested(() => {
    writer.varint(10);
    writer.string(`order ${pick(100_000)} of customer c-${pick(50_000)} placed in ${pick(900)} ms`);
  });
  const attributes: Attribute[] = [
    ['code.function.name', 'placeOrder'],
    ['app.customer.id', `c-${pick(50_000)}`],
    ['thread.id', pick(64)],
  ];
  for (const pair of attributes) attribute(writer, 50, pair);
  writer.varint(74);
  writer.raw(trace.id);
  writer.varint(82);
  writer.raw(trace.spans[0]);
}

/** Different pairs of service and host among the batches. */
const SENDERS = 100;
const POINT_EVERY_MS = 15_000;
/** Of a counter from point to point, at most twice this. */
const GROWTH = 50;

/** Ten sums of fifty series each, a point every 15 s. */
function metrics(writer: WireWriter, index: number, now: number, pick: Pick): void {
  for (let m = 0; m < 10; m++) {
    writer.varint(18);
    writer.nested(() => {
      writer.varint(10);
      writer.string(`app.requests.${m}`);
      writer.varint(58);
      writer.nested(() => {
        for (let i = 0; i < ITEMS / 10; i++) {
          writer.varint(10);
          writer.nested(() => {
            writer.varint(17);
            writer.fixed64(BigInt(now - 7_200_000) * 1_000_000n);
            writer.varint(25);
            const slot = Math.floor(index / SENDERS);
            writer.fixed64(BigInt(now - 7_200_000 + slot * POINT_EVERY_MS) * 1_000_000n);
            writer.varint(33);
            writer.double(slot * GROWTH + pick(GROWTH));
            attribute(writer, 58, ['http.route', routes[i % routes.length] ?? '']);
            attribute(writer, 58, ['app.shard', i]);
          });
        }
        writer.varint(16);
        writer.varint(2);
        writer.varint(24);
        writer.varint(1);
      });
    });
  }
}

/** The sender, in a process of its own: posts batches over a few connections until it is told to stop. */
async function generate(base: string): Promise<void> {
  const now = Date.now();
  const bodies = Array.from({ length: BATCHES }, (_, i) => batch(i, now)).map((b) => (values.gzip ? gzipSync(b) : b));
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers: Record<string, string> = { authorization: 'Bearer bench', 'content-type': 'application/x-protobuf' };
  if (values.gzip) headers['content-encoding'] = 'gzip';
  const post = (body: Buffer) =>
    new Promise<number>((resolve, reject) => {
      const sent = request(
        `${base}/v1/${signal}`,
        { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } },
        (response) => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0));
        },
      );
      sent.once('error', reject).end(body);
    });
  // A gzipped body stays as it is, so that compressing it is no part of what is measured.
  const places = values.gzip ? [] : bodies.map((body) => renewableOf(signal, body));
  const sentAt = bodies.map(() => now);
  const slots = BATCHES / SENDERS;
  let next = 0;
  let acknowledged = 0;
  const renewed = (count: number) => {
    const index = count % BATCHES;
    const body = bodies[index] as Buffer;
    const place = places[index];
    const round = Math.floor(count / BATCHES);
    if (place !== undefined && signal === 'metrics') {
      if (round > 0) renew(body, place, round, slots * POINT_EVERY_MS, slots * GROWTH);
    } else if (place !== undefined) {
      const time = Date.now();
      renew(body, place, round, time - (sentAt[index] as number), 0);
      sentAt[index] = time;
    }
    return body;
  };
  let stop = false;
  process.on('message', () => {
    stop = true;
  });
  process.send?.({ ready: true });
  await new Promise<void>((resolve) => process.once('message', () => resolve()));
  stop = false;
  const latencies: number[] = [];
  const cpu = process.cpuUsage();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (!stop) {
        const start = performance.now();
        if ((await post(renewed(next++))) === 200) acknowledged += ITEMS;
        latencies.push(performance.now() - start);
      }
    }),
  );
  latencies.sort((a, b) => a - b);
  const used = process.cpuUsage(cpu);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  process.send?.({ acknowledged, p50: at(0.5), p99: at(0.99), cpu: (used.user + used.system) / 1e6 });
  process.disconnect?.();
}

interface Row {
  what: string;
  items: number;
  bytes: number;
  seconds: number;
  cpu: string;
}
const rows: Row[] = [];

/** CPU seconds of another process, from /proc (Linux; hundredths of a second). */
function cpuOf(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

async function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve) => child.once('message', (data) => resolve(data as T)));
}

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'fanion-bench-'));
  const engine = await startTelemetryStore({ dir: join(dir, 'store'), log: quiet });
  const clickhouse = { url: engine.url, database: 'fanion' };
  await migrateTelemetry(clickhouse);
  const store = createClickHouse({ ...clickhouse, requestTimeoutMs: 600_000 });
  if (values['no-pair-index']) {
    for (const table of ['spans', 'logs']) {
      await store.command(
        `ALTER TABLE ${table} MODIFY SETTING exclude_materialize_skip_indexes_on_merge = 'by_pair,by_word'`,
      );
    }
  }
  const now = Date.now();
  const bodies = Array.from({ length: BATCHES }, (_, i) => batch(i, now));
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);

  bareWrites(dir, bodies, bytes);
  await bareInserts(store, engine.pid(), bodies, bytes, now);

  for (const table of ['spans', 'trace_index', 'logs', 'metric_points', 'metric_series', 'field_usage']) {
    await store.command(`TRUNCATE TABLE ${table}`);
  }
  const ingest = await createIngest({
    dataDir: dir,
    clickhouse,
    walMaxBytes: 8 * 1024 ** 3,
    fsync: true,
    log: quiet,
    clock: { now: () => Date.now() },
  });
  const app = Fastify();
  const principal: IngestPrincipal = {
    workspaceId: '',
    workspace: 1,
    projectId: '',
    project: 1,
    environment: 'production',
    retentionDays: { traces: 30, logs: 30, metrics: 30, profiles: 30 },
    tokenId: '',
  };
  ingest.register(app, { authenticate: async () => principal });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const generator = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--generate', base]);
  await message(generator);
  const result = message<{ acknowledged: number; p50: number; p99: number; cpu: number }>(generator);
  const cpuStart = process.cpuUsage();
  const engineStart = cpuOf(engine.pid());
  const start = performance.now();
  generator.send('go');
  await new Promise((resolve) => setTimeout(resolve, Number(values.seconds) * 1000));
  generator.send('stop');
  const { acknowledged, p50, p99, cpu } = await result;
  const ackSeconds = (performance.now() - start) / 1000;
  await ingest.flush();
  const storedSeconds = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpuStart);
  const ackBytes = (acknowledged / ITEMS / BATCHES) * bytes;
  const cpuText = `server ${((used.user + used.system) / 1e6).toFixed(1)}, store ${(cpuOf(engine.pid()) - engineStart).toFixed(1)}, sender ${cpu.toFixed(1)}`;
  rows.push({ what: 'OTLP/HTTP, acknowledged', items: acknowledged, bytes: ackBytes, seconds: ackSeconds, cpu: '' });
  rows.push({
    what: 'OTLP/HTTP, acknowledged and stored',
    items: acknowledged,
    bytes: ackBytes,
    seconds: storedSeconds,
    cpu: cpuText,
  });

  const table = { traces: 'spans', logs: 'logs', metrics: 'metric_points', profiles: '' }[signal];
  const { rows: counted } = await store.query(`SELECT count() FROM ${table} WHERE workspace = 1`);
  const size = async () => {
    const { rows: answer } = await store.query(
      `SELECT sum(bytes_on_disk) / sum(rows), count(), sum(secondary_indices_compressed_bytes) / sum(rows)
       FROM system.parts WHERE active AND table = '${table}' AND database = 'fanion'`,
    );
    const [bytesPerRow, count, index] = (answer[0] ?? []).map(Number);
    return `${bytesPerRow?.toFixed(1)} B a row on disk (indexes ${index?.toFixed(1)}) in ${count} parts`;
  };
  report(Number(counted[0]?.[0]) === acknowledged, p50, p99, await size());
  const mergeStart = cpuOf(engine.pid());
  await store.command(`OPTIMIZE TABLE ${table} FINAL`);
  const mergeCpu = (cpuOf(engine.pid()) - mergeStart).toFixed(1);
  console.log(`after OPTIMIZE FINAL (CPU ${mergeCpu} s): ${await size()}`);
  const memory = (process.memoryUsage().rss / 1024 ** 2).toFixed(0);
  console.log(`memory of the server and worker ${memory} MiB`);

  await app.close();
  await ingest.stop();
  await store.close();
  await engine.stop();
  rmSync(dir, { recursive: true, force: true });
}

/** The same bytes, one sync for as many requests as would wait together. */
function bareWrites(dir: string, bodies: Buffer[], bytes: number): void {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const fd = openSync(join(dir, 'bare'), 'w');
  for (let i = 0; i < bodies.length; i += connections) {
    writevSync(fd, bodies.slice(i, i + connections));
    fdatasyncSync(fd);
  }
  closeSync(fd);
  const seconds = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpu);
  rows.push({
    what: `fs.writev + fdatasync for each ${connections} requests`,
    items: BATCHES * ITEMS,
    bytes,
    seconds,
    cpu: ((used.user + used.system) / 1e6).toFixed(2),
  });
}

async function bareInserts(
  store: ReturnType<typeof createClickHouse>,
  pid: number | undefined,
  bodies: Buffer[],
  bytes: number,
  now: number,
): Promise<void> {
  const transcoder = new SegmentTranscoder(new SeriesCache(), new BufferPool());
  const entry = {
    signal,
    encoding: 'otlp-protobuf',
    workspace: 2,
    project: 2,
    environment: '',
    retentionDays: 30,
  } as const;
  const cpu = process.cpuUsage();
  const transcodeStart = performance.now();
  for (const body of bodies)
    transcoder.add({ ...entry, receivedAt: now, items: ITEMS, refused: new Uint32Array(), body });
  const { blocks } = transcoder.finish();
  const seconds = (performance.now() - transcodeStart) / 1000;
  const used = process.cpuUsage(cpu);
  rows.push({
    what: 'transcoding, one thread',
    items: BATCHES * ITEMS,
    bytes,
    seconds,
    cpu: ((used.user + used.system) / 1e6).toFixed(2),
  });
  const engineStart = cpuOf(pid);
  const start = performance.now();
  const rounds = 3;
  for (let round = 0; round < rounds; round++) {
    for (const { table, number, format, body } of blocks) {
      await store.insert(table, tableColumns[table as TelemetryTable], format, body, {
        token: `bare/${round}/${table}/${number}`,
      });
    }
  }
  rows.push({
    what: `bare inserts (${(blocks.reduce((sum, b) => sum + b.body.length, 0) / BATCHES / ITEMS).toFixed(0)} B a row)`,
    items: BATCHES * ITEMS * rounds,
    bytes: bytes * rounds,
    seconds: (performance.now() - start) / 1000,
    cpu: `store ${(cpuOf(pid) - engineStart).toFixed(1)}`,
  });
}

function report(isExact: boolean, p50: number, p99: number, size: string): void {
  const bytesPerItem = (rows[0]?.bytes ?? 0) / (rows[0]?.items ?? 1);
  console.log(
    `\n${signal}: ${ITEMS} items a request, ${bytesPerItem.toFixed(0)} B each, ${connections} connections${values.gzip ? ', gzip' : ''}`,
  );
  console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}\n`);
  console.log('| what | items/s | MB/s | wall s | CPU s |\n|---|---:|---:|---:|---|');
  for (const { what, items, bytes, seconds, cpu } of rows) {
    const perSecond = Math.round(items / seconds).toLocaleString('en');
    console.log(`| ${what} | ${perSecond} | ${(bytes / seconds / 1e6).toFixed(0)} | ${seconds.toFixed(2)} | ${cpu} |`);
  }
  console.log(
    `\nacknowledged = stored rows: ${isExact ? 'yes' : 'NO'}; ack p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ` +
      size,
  );
}

if (values.generate === undefined) await main();
else await generate(values.generate);
