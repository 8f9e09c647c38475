import { readdirSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';

/** CPU seconds that a process has used so far, user and system (Linux). */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The same in milliseconds and to the microsecond, of the threads that there are now (Linux). */
export function cpuMilliseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const used = (thread: string) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      return 0; // It has just ended.
    }
  };
  return threads.reduce((sum, thread) => sum + used(thread), 0) / 1e6;
}

/** Resident memory in MiB (Linux). */
export function residentMiB(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

/** MiB of one process or of several together. */
export interface Memory {
  /** Resident. */
  readonly whole: number;
  /** Of that, the own: not pages of programs and libraries, which the system can drop and read again. */
  readonly own: number;
  /** Resident, with a share of each page that several processes have. */
  readonly shared: number;
}

/** (Linux) */
export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const mebibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024;
  return { whole: mebibytes('Rss'), own: mebibytes('Anonymous'), shared: mebibytes('Pss') };
}

/** Of the resident memory, MiB that are the process's own: not pages of programs and libraries, which the system can drop and read again (Linux). */
export function privateMiB(pid: number): number {
  const [, kib] = /^Anonymous:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Sends these requests in turn, over and over, on so many connections, each waiting for its answer. The client only looks for the end of
 * the headers and the length, so that it costs little beside the server.
 * @returns answers per second, and microseconds of the server's CPU for each
 */
export async function load(options: {
  port: number;
  pid: number;
  requests: readonly string[];
  connections: number;
  seconds: number;
}): Promise<{ perSecond: number; cpuMicroseconds: number }> {
  const requests = options.requests.map((request) => Buffer.from(request));
  let sent = 0;
  const next = () => requests[sent++ % requests.length] ?? Buffer.alloc(0);
  let answers = 0;
  let running = true;
  const sockets = Array.from({ length: options.connections }, () => {
    const socket = createConnection({ port: options.port, host: '127.0.0.1', noDelay: true });
    let expected = 0;
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (expected === 0) {
        const text = chunk.toString('latin1', 0, Math.min(chunk.length, 4096));
        const end = text.indexOf('\r\n\r\n');
        const length = /content-length: (\d+)/i.exec(text)?.[1];
        const chunked = length === undefined && /transfer-encoding: chunked/i.test(text);
        if (!text.startsWith('HTTP/1.1 200') || end < 0 || (length === undefined && !chunked))
          throw new Error(`unexpected answer: ${text.slice(0, 300)}`);
        expected = chunked ? Number.POSITIVE_INFINITY : end + 4 + Number(length);
      }
      // The last chunk of a chunked answer: its end is where the peer's write ends.
      if (received < expected && !(expected === Number.POSITIVE_INFINITY && endsWithLastChunk(chunk))) return;
      answers++;
      received = 0;
      expected = 0;
      if (running) socket.write(next());
    });
    socket.on('connect', () => socket.write(next()));
    return socket;
  });
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  await wait(1_000);
  const [answersBefore, cpuBefore, began] = [answers, cpuSeconds(options.pid), performance.now()];
  await wait(options.seconds * 1_000);
  const [done, cpu, seconds] = [
    answers - answersBefore,
    cpuSeconds(options.pid) - cpuBefore,
    (performance.now() - began) / 1_000,
  ];
  running = false;
  for (const socket of sockets) socket.destroy();
  return { perSecond: done / seconds, cpuMicroseconds: (cpu / done) * 1e6 };
}

const lastChunk = Buffer.from('0\r\n\r\n');
function endsWithLastChunk(chunk: Buffer): boolean {
  return chunk.subarray(-lastChunk.length).equals(lastChunk);
}

export function postRequest(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
}
