import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How a recorder answers one request: a status, or a function that answers, or breaks, as it likes. */
export type Script =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | ((response: ServerResponse, request: Recorded) => void);

export interface Recorder {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly requests: Recorded[];
  /** Connections that were opened. */
  connections(): number;
  /** What the next requests get, in order; all others get 200 and `ok`. */
  answer(...scripts: readonly Script[]): void;
  stop(): Promise<void>;
}

/** A receiver on loopback that keeps what it gets, and answers as told. */
export async function startRecorder(): Promise<Recorder> {
  const requests: Recorded[] = [];
  const scripts: Script[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const recorded = { method, path, headers, body: Buffer.concat(chunks).toString() };
      requests.push(recorded);
      const script = scripts.shift() ?? { status: 200 };
      if (typeof script === 'function') script(response, recorded);
      else response.writeHead(script.status, script.headers).end(script.body ?? 'ok');
    });
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    answer: (...next) => void scripts.push(...next),
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
