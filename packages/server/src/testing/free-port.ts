import { once } from 'node:events';
import { createServer } from 'node:net';

/** Each process starts in its own range, so that parallel test files do not choose the same port. */
let nextPort = 20_000 + (process.pid % 600) * 20;

/**
 * A port that nobody listens on, below the range of outgoing connections (from 32768 on Linux): an outgoing connection
 * could take such a port during the second that a server needs to start.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort++;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
