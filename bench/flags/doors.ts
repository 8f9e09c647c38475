/**
 * The doors for SDKs of other products beside Fanion's own protocols: processor time of a request with 200 flags, and memory of
 * a stream. Each kind of stream is measured on a new server, so that memory left over from another kind does not count.
 */
import { createConnection, type Socket } from 'node:net';
import { freePort } from '../../test/support/server-process.ts';
import { inspect } from '../support/inspector.ts';
import { load, median } from '../support/load.ts';
import { type Asked, type DoorRequest, doorRequests, doorStreams } from './door-requests.ts';
import { type Ours, startFanion } from './fanion-server.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 3);
const streams = Number(process.env.STREAMS ?? 1_000);
const connections = 64;

export async function doors(): Promise<void> {
  const flagdPort = await freePort();
  const ours = await startFanion('Fanion', { FANION_FLAGD_PORT: String(flagdPort) });
  const kinds = doorStreams(ours, flagdPort, '').length;
  try {
    await requestsOfDoors(ours, doorRequests(ours, flagdPort));
  } finally {
    await ours.stop();
  }
  await streamsOfDoors(kinds);
}

async function requestsOfDoors({ pid }: Ours, all: readonly DoorRequest[]): Promise<void> {
  console.log(
    `\n## Doors: ${connections} connections, median of ${rounds} rounds of ${seconds} seconds, one door after another\n`,
  );
  console.log('| asked | door | per second | processor time of a request | its time to our own |');
  console.log('| --- | --- | ---: | ---: | ---: |');
  const results = all.map((): Awaited<ReturnType<typeof load>>[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, { port, requests }] of all.entries())
      results[at]?.push(await load({ port, pid, requests, connections, seconds }));
  const own = new Map<Asked, number>();
  for (const [at, { door, asked }] of all.entries()) {
    const measured = results[at] ?? [];
    const cpu = median(measured.map(({ cpuMicroseconds }) => cpuMicroseconds));
    const first = own.get(asked) ?? cpu;
    own.set(asked, first);
    const perSecond = median(measured.map((result) => result.perSecond)).toFixed(0);
    console.log(`| ${asked} | ${door} | ${perSecond} | ${cpu.toFixed(1)} µs | ${(cpu / first).toFixed(2)} |`);
  }
}

/** The token of the address of OFREP's events. */
async function eventTokenOf({ port, key }: Ours): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/ofrep/v1/evaluate/flags`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ context: { targetingKey: 'user-1' } }),
  });
  const { eventStreams } = await response.json();
  const token = /token=([^"]+)$/.exec(eventStreams[0].endpoint.requestUri)?.[1];
  if (token === undefined) throw new Error('OFREP gave no address of its events');
  return token;
}

async function streamsOfDoors(kinds: number): Promise<void> {
  console.log(`\n## Streams of doors: ${streams} each, 200 flags; memory in use by the server's heap and buffers\n`);
  console.log('| door | KiB of a stream | to OFREP |');
  console.log('| --- | ---: | ---: |');
  let first: number | undefined;
  for (let at = 0; at < kinds; at++) {
    const flagdPort = await freePort();
    const ours = await startFanion('Fanion', { FANION_FLAGD_PORT: String(flagdPort) });
    try {
      const stream = doorStreams(ours, flagdPort, await eventTokenOf(ours))[at];
      if (stream === undefined) throw new Error(`there is no stream ${at}`);
      const kib = await memoryOfStreams(ours, stream.port, stream.request);
      first ??= kib;
      console.log(`| ${stream.door} | ${kib.toFixed(1)} | ${(kib / first).toFixed(2)} |`);
    } finally {
      await ours.stop();
    }
  }
}

/** KiB of the server for each of many streams that are open. */
async function memoryOfStreams({ pid }: Ours, port: number, requestOf: (at: number) => string): Promise<number> {
  const sockets: Socket[] = [];
  const open = async (count: number) => {
    const answered: Promise<void>[] = [];
    for (let i = 0; i < count; i++) answered.push(opened(port, requestOf(sockets.length + i), sockets));
    await Promise.all(answered);
  };
  const inspector = await inspect(pid);
  try {
    // What the first streams need once is not theirs.
    await open(100);
    const before = await inspector.used();
    for (let left = streams; left > 0; left -= 50) await open(Math.min(50, left));
    return ((await inspector.used()) - before) / 1_024 / streams;
  } finally {
    inspector.close();
    for (const socket of sockets) socket.destroy();
  }
}

/** Resolves when the answer has begun with 200. */
function opened(port: number, request: string, sockets: Socket[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
    sockets.push(socket);
    socket.once('data', (chunk) => {
      const status = chunk.toString('latin1', 0, 200);
      if (!status.startsWith('HTTP/1.1 200')) reject(new Error(`unexpected answer: ${status}`));
      socket.on('data', () => {});
      resolve();
    });
    socket.on('error', reject);
    socket.write(Buffer.from(request, 'latin1'));
  });
}
