import type { ServerResponse } from 'node:http';

/** An event that is larger only says where the whole is to be fetched. */
export const maxEventBytes = 512 * 1024;
/** What a client may leave unread before its connection is cut. */
export const maxBufferedBytes = 1024 * 1024;

export const heartbeat = Buffer.from(':\n\n');

/** One event, in the form of the HTML standard §9.2. `data` has no line breaks: it is JSON. */
export function eventFrame(event: string | undefined, id: number, data: string): Buffer {
  return Buffer.from(`${event === undefined ? '' : `event: ${event}\n`}id: ${id}\ndata: ${data}\n\n`);
}

/** Asks the client to wait that long before it connects again; spread, so that not all come back at once. */
export function retryFrame(fromMs: number, toMs: number, random: number): Buffer {
  return Buffer.from(`retry: ${Math.round(fromMs + (toMs - fromMs) * random)}\n\n`);
}

export function beginStream(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    // Proxies that buffer (nginx) would hold events back.
    'x-accel-buffering': 'no',
  });
}

/** Writes, and cuts the connection of a client that does not read. False: it is cut. */
export function writeOrCut(response: ServerResponse, frame: Buffer): boolean {
  if (response.destroyed) return false;
  response.write(frame);
  if (response.writableLength <= maxBufferedBytes) return true;
  response.destroy();
  return false;
}

/** `Last-Event-ID`, where it is a version. */
export function lastEventId(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) return undefined;
  return Number(header);
}
