/** A process that holds its share of the streams of `stream.ts`, and reports their state on request. */
import { createConnection } from 'node:net';

const [port = '', key = '', count = ''] = process.argv.slice(2);
const request = `GET /api/v1/sdk/flags/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;

export interface StreamsOpen {
  readonly open: number;
  /** Streams that have received a `patch` since the last reset. */
  readonly arrived: number;
  /** Milliseconds since 1970 of the last of them. */
  readonly lastAt: number;
  /** Connections that ended or failed. */
  readonly lost: number;
}

let open = 0;
let arrived = 0;
let lastAt = 0;
let lost = 0;

for (let i = 0; i < Number(count); i++) {
  const socket = createConnection({ port: Number(port), host: '127.0.0.1', noDelay: true });
  let begun = false;
  socket.on('data', (chunk) => {
    if (!begun && chunk.includes('event: put')) {
      begun = true;
      open++;
    }
    if (!chunk.includes('event: patch')) return;
    arrived++;
    lastAt = Date.now();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    lost++;
  });
  socket.write(request);
}

process.on('message', (question) => {
  if (question === 'anew') arrived = 0;
  process.send?.({ open, arrived, lastAt, lost } satisfies StreamsOpen);
});
process.on('disconnect', () => process.exit());
