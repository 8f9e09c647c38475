import { createConnection } from 'node:net';
import type { WriteTarget } from '../product.ts';

export interface Written {
  readonly acknowledged: number;
  readonly refused: number;
  readonly seconds: number;
}

/** Bodies of one connection, in the order in which they are sent. A body is valid until the next one is asked for. */
export type Queue = Iterator<Buffer>;

/**
 * Sends each queue over a connection of its own, one request at a time, until the queues or the seconds are over. A plain socket: a
 * client library would take more of the machine than some of the products do.
 */
export async function write(
  { port, path, headers = {} }: WriteTarget,
  queues: readonly Queue[],
  itemsPerBody: number,
  longestSeconds: number,
): Promise<Written> {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, 'content-type': 'application/x-protobuf', ...headers });
  const head = `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}content-length: `;
  let [taken, refused] = [0, 0];
  const start = performance.now();
  await Promise.all(
    queues.map(async (queue) => {
      const connection = connect(port, head);
      for (let next = queue.next(); next.done !== true; next = queue.next()) {
        if (performance.now() - start > longestSeconds * 1000) break;
        if (await connection.post(next.value)) taken++;
        else refused++;
      }
      connection.close();
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  return { acknowledged: taken * itemsPerBody, refused: refused * itemsPerBody, seconds };
}

function connect(port: number, head: string) {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
  let answer = '';
  let answered: ((isTaken: boolean) => void) | undefined;
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = /content-length: (\d+)/i.exec(answer)?.[1];
    const isWhole =
      length === undefined
        ? !/transfer-encoding: chunked/i.test(answer) || answer.endsWith('0\r\n\r\n')
        : answer.length >= end + 4 + Number(length);
    if (!isWhole) return;
    const isTaken = answer.startsWith('HTTP/1.1 20');
    if (!isTaken) console.error(answer.slice(0, 300));
    answer = '';
    answered?.(isTaken);
  });
  socket.on('close', () => answered?.(false));
  socket.on('error', () => {});
  return {
    post(body: Buffer): Promise<boolean> {
      if (socket.destroyed) return Promise.resolve(false);
      return new Promise((resolve) => {
        answered = resolve;
        socket.cork();
        socket.write(`${head}${body.length}\r\n\r\n`, 'latin1');
        socket.write(body);
        socket.uncork();
      });
    },
    close: () => socket.destroy(),
  };
}
