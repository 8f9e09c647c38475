import { createConnection } from 'node:net';

/** Where telemetry is posted to. */
export interface PostTarget {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What remote write 1.0 asks for. */
export const remoteWriteHeaders = { 'content-encoding': 'snappy', 'x-prometheus-remote-write-version': '0.1.0' };

export interface Sent {
  requests: number;
  refused: number;
  seconds: number;
  /** Of acknowledgements, milliseconds. */
  p50: number;
  p99: number;
  /** Seconds of processor time of this process. */
  cpu: number;
}

/**
 * Sends the bodies of each list in their order over a connection of its own, one request at a time, until they or the seconds are over. A
 * plain socket: a client library would take more of the machine than some stores do. A body has to stay as it is until the next one of its
 * list is asked for.
 */
export async function postBodies(
  { port, path, headers = {} }: PostTarget,
  bodies: readonly Iterable<Buffer>[],
  seconds: number,
): Promise<Sent> {
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    'content-type': 'application/x-protobuf',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\n${lines.join('')}content-length: `;
  const latencies: number[] = [];
  let refused = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  await Promise.all(
    bodies.map(async (own) => {
      const send = connect(port, head);
      for (const body of own) {
        if (performance.now() - start > seconds * 1000) break;
        const sent = performance.now();
        if (!(await send(body))) refused++;
        latencies.push(performance.now() - sent);
      }
      await send(undefined);
    }),
  );
  const used = process.cpuUsage(cpu);
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    requests: latencies.length,
    refused,
    seconds: (performance.now() - start) / 1000,
    p50: at(0.5),
    p99: at(0.99),
    cpu: (used.user + used.system) / 1e6,
  };
}

/** Posts one body after the other; resolves with whether it was taken. `undefined` ends the connection. */
function connect(port: number, head: string): (body: Buffer | undefined) => Promise<boolean> {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
  let answer = '';
  let answered: ((isTaken: boolean) => void) | undefined;
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = /content-length: (\d+)/i.exec(answer)?.[1];
    const isChunked = length === undefined && /transfer-encoding: chunked/i.test(answer);
    if (isChunked ? !answer.endsWith('0\r\n\r\n') : answer.length < end + 4 + Number(length ?? 0)) return;
    const isTaken = answer.startsWith('HTTP/1.1 20');
    if (!isTaken) console.error(answer.slice(0, 500));
    answer = '';
    answered?.(isTaken);
  });
  socket.on('close', () => answered?.(false));
  socket.on('error', () => {});
  return (body) => {
    if (body === undefined) {
      socket.destroy();
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      answered = resolve;
      socket.cork();
      socket.write(`${head}${body.length}\r\n\r\n`, 'latin1');
      socket.write(body);
      socket.uncork();
    });
  };
}
