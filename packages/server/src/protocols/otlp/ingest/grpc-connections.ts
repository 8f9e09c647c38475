import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { type BodyBudget, type Held, holdMore } from '../../../features/telemetry/ingest/index.ts';
import type { Tls } from '../../../http/tls.ts';

/** Limit of a listener; an exporter or a provider has one connection. Further connections are closed at once. */
const MAX_CONNECTIONS = 2_000;
const TICK_MS = 100;

/** A call whose message is still arriving. */
export interface Receiving {
  /** `address:port` of its sender. */
  readonly peer: string;
  readonly project: number;
  /** Called once when the memory budget is used up: the call must be ended. */
  refuse(error: unknown): void;
}

export interface GrpcConnections {
  readonly server: Server;
  /** Counts a call until the returned function is called. */
  receiving(call: Receiving): () => void;
}

interface Connection {
  readonly socket: Socket;
  /** Calls with the number of bytes that the connection had read when each started, oldest first. */
  readonly calls: Map<Receiving, number>;
  held: Held | undefined;
}

/**
 * The gRPC connections, and how many bytes of unfinished messages they hold. The library buffers a message until it is
 * complete and does not report its size, so this counts an upper bound: the bytes that a connection has read since its
 * oldest unfinished call started. It is reserved ten times a second from the same budget as HTTP bodies.
 */
export function createGrpcConnections(
  { bodies, tls }: { readonly bodies: BodyBudget; readonly tls?: Tls | undefined },
  take: (socket: Socket) => void,
): GrpcConnections {
  const connections = new Map<string, Connection>();
  let timer: NodeJS.Timeout | undefined;

  const server = grpcListener(tls, add);

  function add(socket: Socket): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    const connection: Connection = { socket, calls: new Map(), held: undefined };
    connections.set(peer, connection);
    socket.once('close', () => {
      connection.held?.release();
      connection.calls.clear();
      if (connections.get(peer) === connection) connections.delete(peer);
    });
    take(socket);
  }

  function count(connection: Connection): void {
    connection.held?.release();
    const [oldest] = connection.calls;
    if (oldest === undefined) return;
    const [{ project }, from] = oldest;
    connection.held = bodies.hold(project);
    try {
      holdMore(connection.held, connection.socket.bytesRead - from);
    } catch (error) {
      for (const call of [...connection.calls.keys()]) call.refuse(error);
    }
  }

  function tick(): void {
    let busy = false;
    for (const connection of connections.values()) {
      count(connection);
      busy ||= connection.calls.size > 0;
    }
    if (busy) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    server,
    receiving(call) {
      const connection = connections.get(call.peer);
      if (connection === undefined) return () => {};
      connection.calls.set(call, connection.socket.bytesRead);
      timer ??= setInterval(tick, TICK_MS).unref();
      return () => {
        connection.calls.delete(call);
      };
    },
  };
}

/** Accepts connections for a gRPC server, which the library cannot do with changing certificates. */
export function grpcListener(tls: Tls | undefined, add: (socket: Socket) => void): Server {
  const server = tls === undefined ? createServer({ noDelay: true }, add) : secureServer(tls, add);
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/** HTTP/2 begins with the name that TLS negotiates (RFC 9113 §3.2). */
function secureServer(tls: Tls, add: (socket: Socket) => void): Server {
  const server = createSecureServer({ ...tls.current(), ALPNProtocols: ['h2'], noDelay: true }, add);
  tls.follow(server);
  return server;
}
