import type { ServerResponse } from 'node:http';

/** Unread bytes above which a client is disconnected at the next frame. */
const maxBufferedBytes = 1024 * 1024;

/** A comment, which keeps proxies from closing an idle stream. */
export const heartbeat = Buffer.from(':\n\n');

/** One event in the format of the HTML standard §9.2. `data` has no line breaks: it is JSON. */
export function eventFrame(event: string | undefined, id: number | string | undefined, data: string): Buffer {
  const named = event === undefined ? '' : `event: ${event}\n`;
  return Buffer.from(`${named}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`);
}

/** Tells the client how long to wait before it reconnects; randomized, so that clients do not reconnect at once. */
export function retryFrame(fromMs: number, toMs: number, random: number): Buffer {
  return Buffer.from(`retry: ${Math.round(fromMs + (toMs - fromMs) * random)}\n\n`);
}

/** Starts a 200 response with an event stream. */
export function beginStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string | string[] | number>>,
): void {
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    // Proxies that buffer (nginx) would hold events back.
    'x-accel-buffering': 'no',
  });
}

/** Writes a frame; disconnects a client that does not read. Returns false if the stream has ended. */
export function writeOrCut(response: ServerResponse, frame: Buffer): boolean {
  if (response.destroyed || response.writableEnded) return false;
  if (response.writableLength > maxBufferedBytes) {
    response.destroy();
    return false;
  }
  response.write(frame);
  return true;
}
