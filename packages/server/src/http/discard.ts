import type { IncomingMessage } from 'node:http';

/** A client that sends more behind an answer is cut off. */
const discardableBytes = 16 * 1024 ** 2;

/** Requests whose next bytes wait to be thrown away. */
const waiting: IncomingMessage[] = [];

/** One piece of at most 64 KiB in a millisecond, of all connections together: at full speed they leave no time for others. */
function readNext(): void {
  waiting.shift()?.resume();
  if (waiting.length > 0) setTimeout(readNext, 1);
}

/**
 * Reads the rest of a body that nobody wants, and throws it away: a client that is still sending would miss an answer on
 * a connection that closes.
 */
export function discardBody(request: IncomingMessage): void {
  if (request.complete) return;
  let left = discardableBytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) {
      request.socket.destroy();
      return;
    }
    request.pause();
    if (waiting.push(request) === 1) setTimeout(readNext, 1);
  });
  request.on('error', () => {
    // The connection broke, and nothing was wanted from it.
  });
}
