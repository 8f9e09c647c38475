import { type Server, STATUS_CODES } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { PlainRouter } from './plain.ts';
import { jsonContentType, type RawAnswer } from './raw.ts';
import { type PlainMethod, parsePlainRequest } from './raw-parse.ts';

/** How long to wait here for the rest of a request, or for the first byte of a connection. */
const patienceMs = 1_000;
/** Bytes that may wait behind a slow response. */
const maxWaitingBytes = 64 * 1024;

/** No method of HTTP/1.1 has this name, so that HTTP/2 can be told by it (RFC 9113 §3.4). */
const http2Method = Buffer.from('PRI ');

export interface RawConnections {
  /** Reads an accepted connection until something else arrives than a plain request that the router answers. */
  add(socket: Socket): void;
  /** Ends idle connections, and each other one after its response. */
  closeIdle(): void;
  closeAll(): void;
  /** As `closeIdle`; resolves when none is left. */
  close(): Promise<void>;
  stop(): void;
}

/**
 * Answers plain requests directly on the connection, and gives every connection away on which anything else
 * arrives, with all bytes that are not answered. Slow senders are given away too, after a second. A connection that was given away
 * does not come back.
 *
 * @param options.giveAway gets a paused connection without listeners, and the bytes that were read from it
 */
export function createRawConnections(options: {
  router: PlainRouter;
  keepAliveMs: () => number;
  giveAway: (socket: Socket, bytes: Buffer | undefined) => void;
  /** Whether connections end after their next answer. */
  isDraining?: () => boolean;
  now?: () => number;
}): RawConnections {
  const { router, keepAliveMs, giveAway, isDraining = () => false, now = Date.now } = options;
  const connections = new Set<RawConnection>();
  let closing = false;
  const head = createHeads(keepAliveMs, now);
  const sweep = setInterval(() => {
    const at = now();
    for (const connection of connections) connection.look(at, keepAliveMs());
  }, patienceMs).unref();
  const emptied: (() => void)[] = [];
  const gone = (connection: RawConnection) => {
    connections.delete(connection);
    if (connections.size === 0) for (const resolve of emptied.splice(0)) resolve();
  };
  const closeIdle = () => {
    closing = true;
    for (const connection of connections) connection.endIfIdle();
  };
  return {
    add(socket) {
      const connection = new RawConnection(socket, {
        router,
        head,
        now,
        closing: () => closing || isDraining(),
        gone: () => gone(connection),
        giveAway: (bytes) => giveAway(socket, bytes),
      });
      connections.add(connection);
    },
    closeIdle,
    closeAll() {
      for (const connection of connections) connection.destroy();
    },
    async close() {
      closeIdle();
      if (connections.size > 0) await new Promise<void>((resolve) => emptied.push(resolve));
      clearInterval(sweep);
    },
    stop: () => clearInterval(sweep),
  };
}

/**
 * Puts raw connections in front of Node's HTTP server. This saves the time of Node's server (streams, headers and timers,
 * several times that of an evaluation) where it matters. Everything unusual is parsed by Node's parser only, with its limits.
 */
export function takeRawConnections(
  server: Server,
  router: PlainRouter,
  {
    isDraining,
    takeHttp2,
    now = Date.now,
  }: {
    isDraining?: () => boolean;
    /** Takes over connections that begin with HTTP/2. */
    takeHttp2?: ((socket: Socket) => void) | undefined;
    now?: () => number;
  } = {},
): void {
  const event = server instanceof SecureServer ? 'secureConnection' : 'connection';
  // Node's own listener, which every HTTP server has from the start.
  const [listener] = server.listeners(event);
  if (listener === undefined) throw new Error('the HTTP server has no listener for connections');
  server.removeAllListeners(event);

  const connections = createRawConnections({
    router,
    keepAliveMs: () => server.keepAliveTimeout,
    ...(isDraining && { isDraining }),
    now,
    giveAway(socket, bytes) {
      // The client sent a part of a request and closed its side; Node's parser would read no further.
      if (socket.readableEnded) {
        socket.end();
        return;
      }
      if (bytes !== undefined && bytes.length > 0) socket.unshift(bytes);
      if (takeHttp2 !== undefined && bytes?.subarray(0, http2Method.length).equals(http2Method)) {
        takeHttp2(socket);
        return;
      }
      listener.call(server, socket);
      socket.resume();
    },
  });
  server.once('close', () => connections.stop());
  server.on(event, connections.add);

  const { closeIdleConnections, closeAllConnections } = server;
  server.closeIdleConnections = () => {
    connections.closeIdle();
    closeIdleConnections.call(server);
  };
  server.closeAllConnections = () => {
    connections.closeAll();
    closeAllConnections.call(server);
  };
}

interface Surroundings {
  readonly router: PlainRouter;
  readonly head: (answer: RawAnswer, length: number, last: boolean) => string;
  readonly now: () => number;
  readonly closing: () => boolean;
  readonly gone: () => void;
  readonly giveAway: (bytes: Buffer | undefined) => void;
}

class RawConnection {
  readonly #socket: Socket;
  readonly #around: Surroundings;
  /** Bytes that are read but not answered yet. */
  #waiting: Buffer | undefined;
  /** A response is pending, or the client does not read earlier ones. */
  #busy = false;
  #ended = false;
  #answered = false;
  /** Time of the last response, of the first waiting byte, or of the start of the connection. */
  #since: number;

  readonly #address = (): string => this.#socket.remoteAddress ?? '';

  constructor(socket: Socket, around: Surroundings) {
    this.#socket = socket;
    this.#around = around;
    this.#since = around.now();
    socket.on('data', this.#read).on('end', this.#end).on('error', ignore).on('close', around.gone);
  }

  /** Ends connections that time out, as Node's server does. */
  look(at: number, keepAliveMs: number): void {
    if (this.#busy || this.#ended) return;
    const idle = this.#answered && this.#waiting === undefined;
    if (idle && at - this.#since > keepAliveMs) this.#socket.destroy();
    else if (!idle && at - this.#since >= patienceMs) this.#giveAway(this.#waiting);
  }

  endIfIdle(): void {
    if (!this.#busy && this.#waiting === undefined) this.#socket.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #read = (chunk: Buffer): void => {
    const bytes = this.#waiting === undefined ? chunk : Buffer.concat([this.#waiting, chunk]);
    if (!this.#busy) this.#answerAll(bytes);
    else {
      this.#waiting = bytes;
      if (bytes.length > maxWaitingBytes) this.#socket.pause();
    }
  };

  readonly #end = (): void => {
    this.#ended = true;
    if (!this.#busy) this.#socket.end();
  };

  readonly #isPlain = (method: PlainMethod, url: string): boolean => this.#around.router(method, url) !== undefined;

  #answerAll(given: Buffer): void {
    let bytes = given;
    while (bytes.length > 0) {
      const parsed = parsePlainRequest(bytes, this.#isPlain);
      if (parsed === 'incomplete') {
        // The time of the first byte counts; otherwise a byte per second would keep the connection here forever.
        if (this.#waiting === undefined) this.#since = this.#around.now();
        this.#waiting = bytes;
        return;
      }
      const handler = parsed === 'unusual' ? undefined : this.#around.router(parsed.method, parsed.url);
      if (parsed === 'unusual' || handler === undefined) {
        this.#giveAway(bytes);
        return;
      }
      const answer = handler(parsed, this.#address);
      if (answer === undefined) {
        this.#giveAway(bytes);
        return;
      }
      const { end } = parsed;
      if (answer instanceof Promise) {
        this.#waiting = bytes;
        this.#busy = true;
        // The end of the client's side must not be read while the connection may still be given away.
        this.#socket.pause();
        void answer.then((late) => this.#answerLate(late, end));
        return;
      }
      bytes = bytes.subarray(end);
      this.#waiting = undefined;
      if (!this.#write(answer, bytes.length > 0)) {
        this.#waiting = bytes.length === 0 ? undefined : bytes;
        return;
      }
    }
  }

  /** @param end of the request among the bytes that wait */
  #answerLate(answer: RawAnswer | undefined, end: number): void {
    const bytes = this.#waiting;
    if (this.#socket.destroyed) return;
    if (answer === undefined) {
      this.#busy = false;
      this.#giveAway(bytes);
      return;
    }
    this.#waiting = bytes === undefined || bytes.length === end ? undefined : bytes.subarray(end);
    if (this.#write(answer, this.#waiting !== undefined)) this.#goOn();
  }

  /**
   * False: no further response can be sent now.
   * @param more whether bytes wait that the client sent before it closed its side
   */
  #write(answer: RawAnswer, more: boolean): boolean {
    const socket = this.#socket;
    if (socket.destroyed) return false;
    const last = (this.#ended && !more) || this.#around.closing();
    const drained = send(socket, answer, this.#around.head, last);
    this.#answered = true;
    this.#since = this.#around.now();
    if (last) {
      this.#busy = true;
      socket.end();
      return false;
    }
    if (drained) return true;
    this.#busy = true;
    socket.pause();
    socket.once('drain', () => this.#goOn());
    return false;
  }

  #goOn(): void {
    this.#busy = false;
    this.#socket.resume();
    const bytes = this.#waiting;
    this.#waiting = undefined;
    if (bytes !== undefined) this.#answerAll(bytes);
    if (this.#ended && !this.#busy) this.#socket.end();
  }

  #giveAway(bytes: Buffer | undefined): void {
    const { gone, giveAway } = this.#around;
    const socket = this.#socket;
    socket.off('data', this.#read).off('end', this.#end).off('error', ignore).off('close', gone);
    gone();
    socket.pause();
    giveAway(bytes);
  }
}

/** A broken connection emits `close`, which is handled. */
function ignore(): void {}

function send(socket: Socket, answer: RawAnswer, head: Surroundings['head'], last: boolean): boolean {
  const { body } = answer;
  if (typeof body !== 'string') {
    const start = head(answer, body.length, last);
    // One write of one buffer takes less time than two that are corked.
    const all = Buffer.allocUnsafe(start.length + body.length);
    all.write(start, 0, 'latin1');
    all.set(body, start.length);
    return socket.write(all);
  }
  const length = Buffer.byteLength(body);
  // One byte per character: the cheaper encoding writes the same bytes.
  return socket.write(head(answer, length, last) + body, length === body.length ? 'latin1' : 'utf8');
}

/** Status line and headers, like Node's server. The parts that do not change within a second are cached. */
function createHeads(keepAliveMs: () => number, now: () => number): Surroundings['head'] {
  let second = -1;
  let kept = '';
  let final = '';
  return ({ status, type = jsonContentType, headers }, length, last) => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) {
      second = current;
      const date = `Date: ${new Date(current * 1_000).toUTCString()}\r\n`;
      kept = `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs() / 1_000)}\r\n`;
      final = `${date}Connection: close\r\n`;
    }
    let own = '';
    if (headers !== undefined) for (const name in headers) own += `${name}: ${headers[name]}\r\n`;
    const form = status === 304 ? '' : `content-type: ${type}\r\ncontent-length: ${length}\r\n`;
    const line = status === 200 ? 'HTTP/1.1 200 OK\r\n' : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
    return `${line}${form}${own}${last ? final : kept}\r\n`;
  };
}
