/**
 * The sender, a separate process: posts batches over a few connections until it is stopped. With a rate, requests are
 * due at fixed times and latency counts from then, so that a stall of the server is fully measured.
 */
import { createConnection } from 'node:net';
import type { Signal } from '@fanion/telemetry';
import { credentials, Client as GrpcClient, Metadata } from '@grpc/grpc-js';
import { ITEMS } from './data.ts';
import { createRequests, type Protocol } from './requests.ts';

export interface SenderOptions {
  port: number;
  token: string;
  signal: Signal;
  protocol: Protocol;
  gzip: boolean;
  connections: number;
  /** Items per second; 0: as many as are accepted. */
  rate: number;
}

export interface SenderResult {
  acknowledged: number;
  refused: number;
  bytes: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Seconds of processor time. */
  cpu: number;
}

/** Sends a body; resolves with whether it was acknowledged. */
type Send = (body: Buffer) => Promise<boolean>;

const paths: Partial<Record<Signal, string>> = {
  traces: 'trace.v1.Trace',
  logs: 'logs.v1.Logs',
  metrics: 'metrics.v1.Metrics',
};

function grpc({ port, token, signal }: SenderOptions): Send {
  const client = new GrpcClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  });
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const path = `/opentelemetry.proto.collector.${paths[signal]}Service/Export`;
  const same = (bytes: Buffer) => bytes;
  return (body) =>
    new Promise((resolve) => {
      client.makeUnaryRequest(path, same, same, body, metadata, (error) => resolve(error === null));
    });
}

/** HTTP/1.1 over a socket, without a client library, so that nearly all of its cost is the system's. */
function http({ port, token, signal, protocol, gzip }: SenderOptions): Send {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
  const type = protocol === 'http-json' ? 'application/json' : 'application/x-protobuf';
  const head =
    `POST /v1/${signal} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n` +
    `content-type: ${type}\r\n${gzip ? 'content-encoding: gzip\r\n' : ''}content-length: `;
  let answer = '';
  let answered: ((isTaken: boolean) => void) | undefined;
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0);
    if (answer.length < end + 4 + length) return;
    const isTaken = answer.startsWith('HTTP/1.1 200');
    answer = '';
    answered?.(isTaken);
  });
  socket.on('close', () => answered?.(false));
  socket.on('error', () => {});
  return (body) =>
    new Promise((resolve) => {
      answered = resolve;
      socket.cork();
      socket.write(`${head}${body.length}\r\n\r\n`, 'latin1');
      socket.write(body);
      socket.uncork();
    });
}

async function main(options: SenderOptions): Promise<void> {
  const requests = createRequests(options.signal, options.protocol, options.gzip);
  const sends = Array.from({ length: options.connections }, () => (options.protocol === 'grpc' ? grpc : http)(options));
  let isRunning = true;
  process.send?.({ ready: true });
  await new Promise<void>((resolve) => process.once('message', () => resolve()));
  process.once('message', () => {
    isRunning = false;
  });
  const latencies: number[] = [];
  let acknowledged = 0;
  let refused = 0;
  let bytes = 0;
  let sent = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const spacing = options.rate === 0 ? 0 : (ITEMS / options.rate) * 1000;
  await Promise.all(
    sends.map(async (send) => {
      while (isRunning) {
        const due = spacing === 0 ? performance.now() : start + sent * spacing;
        sent++;
        const wait = due - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        if (!isRunning) return;
        const body = requests.next();
        if (await send(body)) acknowledged += ITEMS;
        else refused += ITEMS;
        bytes += body.length;
        latencies.push(performance.now() - due);
      }
    }),
  );
  latencies.sort((a, b) => a - b);
  const used = process.cpuUsage(cpu);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  const result: SenderResult = {
    acknowledged,
    refused,
    bytes,
    seconds: (performance.now() - start) / 1000,
    p50: at(0.5),
    p99: at(0.99),
    cpu: (used.user + used.system) / 1e6,
  };
  process.send?.(result, () => process.exit());
}

await main(JSON.parse(process.argv[2] ?? '{}') as SenderOptions);
