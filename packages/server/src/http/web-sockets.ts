import { IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';

/** Unread bytes above which a client is disconnected at the next message. */
const maxBufferedBytes = 1024 * 1024;
/** How long a client may take to confirm a close before its connection is cut. */
const closeTimeoutMs = 1_000;
/** Clients have nothing to send but control frames. */
const maxPayloadBytes = 4_096;

const offered = Symbol('offered');

/**
 * A request that leaves HTTP only for a WebSocket handshake. Other offers, such as `Upgrade: h2c` of Java's client, are
 * ignored (RFC 9110 §7.8): Node would stop reading the body of every such request as soon as the server has a listener
 * for upgrades.
 */
export class UpgradableMessage extends IncomingMessage {
  [offered]: unknown;
  get upgrade(): unknown {
    if (this.method === 'CONNECT') return this[offered];
    return this[offered] && this.method === 'GET' && this.headers.upgrade?.toLowerCase() === 'websocket';
  }
  set upgrade(value: unknown) {
    this[offered] = value;
  }
}

/** Handshakes that wait for {@link acceptWebSocket}. */
const handshakes = new WeakMap<IncomingMessage, { readonly socket: Socket; readonly head: Buffer }>();

/**
 * Answers handshakes by the routes of the server. A handler accepts one by {@link acceptWebSocket}; any other response ends the
 * connection.
 */
export function takeHandshakes(server: Server, answer: RequestListener): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // A broken connection emits `close`, which is handled.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    handshakes.set(request, { socket, head });
    answer(request, response);
  });
}

const sockets = new WebSocketServer({
  ...{ noServer: true, clientTracking: false, perMessageDeflate: false },
  ...{ maxPayload: maxPayloadBytes, closeTimeout: closeTimeoutMs },
});

export function isHandshake({ raw }: FastifyRequest): boolean {
  return handshakes.has(raw);
}

/** Completes a handshake. `reply.raw` emits `close` with the connection. */
export function acceptWebSocket(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  opened: (socket: WebSocket) => void,
): void {
  const handshake = handshakes.get(raw);
  if (handshake === undefined) throw new Error('the request is not a WebSocket handshake');
  reply.hijack();
  sockets.handleUpgrade(raw, handshake.socket, handshake.head, (socket) => {
    // Invalid frames: the library closes the connection with the code of the error.
    socket.on('error', () => {});
    opened(socket);
  });
}

/** Sends a message; cuts off a client that does not read. Returns false if the connection has ended. */
export function sendOrCut(socket: WebSocket, text: string): boolean {
  if (socket.readyState !== socket.OPEN) return false;
  if (socket.bufferedAmount > maxBufferedBytes) {
    socket.terminate();
    return false;
  }
  socket.send(text);
  return true;
}
