import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { jsonContentType, type RawAnswer, type RawRouter } from './raw.ts';
import { parsePlainPost } from './raw-parse.ts';

/** How long to wait here for the rest of a request, or for the first byte of a connection. */
const patienceMs = 1_000;
/** Bytes that may wait behind a slow response. */
const maxWaitingBytes = 64 * 1024;

/**
 * Answers plain requests for raw routes directly on the connection, and hands every connection on which anything else
 * arrives over to Node's HTTP server, with all bytes read so far. This saves the time of Node's server (streams,
 * headers and timers, several times that of an evaluation) where it matters. Everything unusual is parsed by Node's
 * parser only, with its limits; slow senders are handed over after a second too.
 *
 * Once handed over, a connection stays with Node's server.
 */
export function takeRawConnections(server: Server, router: RawRouter, now: () => number = Date.now): void {
  // Node's own listener, which every HTTP server has from the start.
  const [listener] = server.listeners('connection');
  if (listener === undefined) throw new Error('the HTTP server has no listener for connections');
  server.removeAllListeners('connection');

  const connections = new Set<RawConnection>();
  let closing = false;
  const head = createHeads(() => server.keepAliveTimeout, now);
  const sweep = setInterval(() => {
    const at = now();
    for (const connection of connections) connection.look(at, server.keepAliveTimeout);
  }, patienceMs).unref();
  server.once('close', () => clearInterval(sweep));
  server.on('connection', (socket: Socket) => {
    const connection = new RawConnection(socket, {
      router,
      head,
      now,
      closing: () => closing,
      gone: () => connections.delete(connection),
      giveAway: () => listener.call(server, socket),
    });
    connections.add(connection);
  });

  const { closeIdleConnections, closeAllConnections } = server;
  server.closeIdleConnections = () => {
    closing = true;
    for (const connection of connections) connection.endIfIdle();
    closeIdleConnections.call(server);
  };
  server.closeAllConnections = () => {
    for (const connection of connections) connection.destroy();
    closeAllConnections.call(server);
  };
}

interface Surroundings {
  readonly router: RawRouter;
  readonly head: (answer: RawAnswer, length: number, last: boolean) => string;
  readonly now: () => number;
  readonly closing: () => boolean;
  readonly gone: () => void;
  readonly giveAway: () => void;
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

  #answerAll(given: Buffer): void {
    let bytes = given;
    while (bytes.length > 0) {
      const parsed = parsePlainPost(bytes);
      if (parsed === 'incomplete') {
        // The time of the first byte counts; otherwise a byte per second would keep the connection here forever.
        if (this.#waiting === undefined) this.#since = this.#around.now();
        this.#waiting = bytes;
        return;
      }
      const match = parsed === 'unusual' ? undefined : this.#around.router('POST', parsed.url);
      if (parsed === 'unusual' || match === undefined) {
        this.#giveAway(bytes);
        return;
      }
      bytes = bytes.subarray(parsed.end);
      this.#waiting = undefined;
      const answer = match.handler(parsed, match.parameter);
      if (answer instanceof Promise) {
        this.#waiting = bytes.length === 0 ? undefined : bytes;
        this.#busy = true;
        void answer.then((late) => {
          if (this.#write(late)) this.#goOn();
        });
        return;
      }
      if (!this.#write(answer)) {
        this.#waiting = bytes.length === 0 ? undefined : bytes;
        return;
      }
    }
  }

  /** False: no further response can be sent now. */
  #write(answer: RawAnswer): boolean {
    const socket = this.#socket;
    if (socket.destroyed) return false;
    const last = this.#ended || this.#around.closing();
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
    if (bytes !== undefined && bytes.length > 0) socket.unshift(bytes);
    giveAway();
    socket.resume();
  }
}

/** A broken connection emits `close`, which is handled. */
function ignore(): void {}

function send(socket: Socket, answer: RawAnswer, head: Surroundings['head'], last: boolean): boolean {
  const { body } = answer;
  if (typeof body !== 'string') {
    socket.cork();
    socket.write(head(answer, body.length, last), 'latin1');
    const drained = socket.write(body);
    socket.uncork();
    return drained;
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
  return ({ status, headers }, length, last) => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) {
      second = current;
      const date = `Date: ${new Date(current * 1_000).toUTCString()}\r\n`;
      kept = `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs() / 1_000)}\r\n`;
      final = `${date}Connection: close\r\n`;
    }
    let own = '';
    if (headers !== undefined) for (const name in headers) own += `${name}: ${headers[name]}\r\n`;
    const form = status === 304 ? '' : `content-type: ${jsonContentType}\r\ncontent-length: ${length}\r\n`;
    const line = status === 200 ? 'HTTP/1.1 200 OK\r\n' : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
    return `${line}${form}${own}${last ? final : kept}\r\n`;
  };
}
