import { createServer, type Server, type Socket } from 'node:net';
import { type BodyBudget, type Held, holdMore } from '../../../features/telemetry/ingest/index.ts';

/** Of all senders together; an exporter has one. What comes beyond is closed at once. */
const MAX_CONNECTIONS = 2_000;
const TICK_MS = 100;

/** A call whose message is still arriving. */
export interface Receiving {
  /** `address:port` of its sender. */
  readonly peer: string;
  readonly project: number;
  /** Called once where there is no room for it: it has to be ended. */
  refuse(error: unknown): void;
}

export interface GrpcConnections {
  readonly server: Server;
  /** Counts a call until the returned function is called. */
  receiving(call: Receiving): () => void;
}

interface Connection {
  readonly socket: Socket;
  /** Calls with what the connection had read when each began, the oldest first. */
  readonly calls: Map<Receiving, number>;
  held: Held | undefined;
}

/**
 * The connections of gRPC, and how much of unfinished messages they hold. The library gathers a message until it is
 * whole and tells nobody, so what is counted is an upper bound that needs no look into it: whatever a connection has
 * read since the oldest of its unfinished calls began. It is asked for ten times a second, out of the room that bodies
 * over HTTP have too.
 */
export function createGrpcConnections(bodies: BodyBudget, take: (socket: Socket) => void): GrpcConnections {
  const connections = new Map<string, Connection>();
  let timer: NodeJS.Timeout | undefined;

  const server = createServer({ noDelay: true }, (socket) => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    const connection: Connection = { socket, calls: new Map(), held: undefined };
    connections.set(peer, connection);
    socket.once('close', () => {
      connection.held?.release();
      connection.calls.clear();
      if (connections.get(peer) === connection) connections.delete(peer);
    });
    take(socket);
  });
  server.maxConnections = MAX_CONNECTIONS;

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
