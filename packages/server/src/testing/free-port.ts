import { once } from 'node:events';
import { createServer } from 'node:net';

/** Each process begins at a place of its own, so that test files beside each other do not take the same. */
let nextPort = 20_000 + (process.pid % 600) * 20;

/**
 * A port that nobody listens on. It is below those that systems give to outgoing connections (from 32768 on Linux): of these
 * any could be some connection's before the server, which takes a second to start, listens on it.
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
