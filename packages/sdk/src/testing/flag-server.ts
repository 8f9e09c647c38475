import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Ruleset, RulesetPatch } from '@fanion/flag-engine';
import { patched } from '../ruleset.ts';

/** How the server responds. */
export type Mood = 'well' | 'no-stream' | 'unavailable' | 'denied' | 'nonsense' | 'silent';

/** A server with both delivery routes as documented, which misbehaves on request. */
export interface FlagServer {
  readonly endpoint: string;
  readonly key: string;
  mood: Mood;
  ruleset: Ruleset;
  /** Events above this many characters become `refetch`. */
  maxEvent: number;
  /** Sent as `retry:` on each stream. */
  retryMs: number | undefined;
  /** `GET <path> <Last-Event-ID or If-None-Match>` of each request so far. */
  readonly requests: readonly string[];
  /** Number of open streams. */
  readonly streams: number;
  /** Number of open connections, used or not. */
  readonly connections: number;
  /** Applies a patch and sends it to the streams. */
  patch(patch: RulesetPatch): void;
  /** Writes raw text to every stream. */
  write(text: string): void;
  /** Ends every stream, like a restarting server. */
  endStreams(): void;
  /** Resolves when the condition holds; checked after each request and each closed connection. */
  until(condition: (server: FlagServer) => boolean): Promise<void>;
  /** Stops listening and closes all connections. */
  stop(): Promise<void>;
  /** Listens again on the same port. */
  start(): Promise<void>;
}

export async function startFlagServer(ruleset: Ruleset, key = 'svc_sdk_test'): Promise<FlagServer> {
  const requests: string[] = [];
  const streams = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  const history = new Map<number, RulesetPatch>();
  const watchers = new Set<() => void>();
  let port = 0;

  const noteChange = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const event = (type: string, version: number, body: object): string => {
    const data = JSON.stringify(body);
    const sent = data.length > server.maxEvent ? JSON.stringify({ version, refetch: true }) : data;
    return `event: ${type}\nid: ${version}\ndata: ${sent}\n\n`;
  };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    // Also serves below a path, as behind a proxy.
    const path = (request.url ?? '').replace(/^\/below/, '');
    const condition = request.headers['last-event-id'] ?? request.headers['if-none-match'];
    requests.push(condition === undefined ? path : `${path} ${String(condition)}`);
    if (server.mood === 'silent') return;
    if (server.mood === 'denied' || request.headers.authorization !== `Bearer ${key}`) {
      fail(response, 401, 'SVC-2001', 'authentication required: the key is not known');
    } else if (server.mood === 'unavailable') {
      fail(response, 503, 'SVC-1010', 'the control plane is not reachable');
    } else if (server.mood === 'nonsense') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>a captive portal</p>');
    } else if (path !== '/api/v1/sdk/flags/stream') {
      deliver(request, response);
    } else if (server.mood === 'no-stream') {
      fail(response, 501, 'SVC-1005', 'no streams');
    } else {
      open(request, response);
    }
  }

  function deliver(request: IncomingMessage, response: ServerResponse): void {
    const etag = `"env-${server.ruleset.version}"`;
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json', etag });
    response.end(JSON.stringify({ data: server.ruleset, error: null, meta: { request_id: 'r' } }));
  }

  function open(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    streams.add(response);
    response.on('close', () => {
      streams.delete(response);
      noteChange();
    });
    response.write(server.retryMs === undefined ? ': hello\n\n' : `retry: ${server.retryMs}\n\n`);
    const last = Number(request.headers['last-event-id'] ?? Number.NaN);
    if (last === server.ruleset.version) return;
    const missed = [...history].filter(([version]) => version > last);
    const replayable = missed.length > 0 && missed.length === server.ruleset.version - last;
    if (!replayable) response.write(event('put', server.ruleset.version, server.ruleset));
    else for (const [version, patch] of missed) response.write(event('patch', version, patch));
  }

  const http = createServer((request, response) => {
    answer(request, response);
    noteChange();
  });

  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      noteChange();
    });
  });

  const server: FlagServer = {
    get endpoint() {
      return `http://127.0.0.1:${port}`;
    },
    key,
    mood: 'well',
    ruleset,
    maxEvent: 512 * 1024,
    retryMs: undefined,
    requests,
    get streams() {
      return streams.size;
    },
    get connections() {
      return sockets.size;
    },
    patch(patch) {
      server.ruleset = patched(server.ruleset, patch);
      history.set(patch.version, patch);
      for (const stream of streams) if (!stream.writableEnded) stream.write(event('patch', patch.version, patch));
    },
    write(text) {
      for (const stream of streams) if (!stream.writableEnded) stream.write(text);
    },
    endStreams() {
      for (const stream of streams) stream.end();
    },
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition(server)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    async stop() {
      http.close();
      http.closeAllConnections();
      if (http.listening) await once(http, 'close');
    },
    async start() {
      http.listen(port, '127.0.0.1');
      await once(http, 'listening');
      port = (http.address() as AddressInfo).port;
    },
  };
  await server.start();
  return server;
}

function fail(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ data: null, error: { code, message, status }, meta: { request_id: 'r' } }));
}
