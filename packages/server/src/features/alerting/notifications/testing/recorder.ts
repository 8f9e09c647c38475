import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  /** Of the test's clock. */
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly status: number;
}

/** A receiver of notifications on this machine, which answers as a test says. */
export async function startRecorder(clock: { now(): number }) {
  const received: Received[] = [];
  /** The status for a request; 200 by default. */
  let answer: (path: string) => { readonly status: number; readonly retryAfter?: string } = () => ({ status: 200 });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const { status, retryAfter } = answer(path);
      const body = Buffer.concat(chunks).toString();
      received.push({ at: clock.now(), path, headers: request.headers, body, status });
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(`answer ${status}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    received,
    answers(by: typeof answer) {
      answer = by;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type Recorder = Awaited<ReturnType<typeof startRecorder>>;
