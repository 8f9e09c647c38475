import { createServer, type Server, type Socket } from 'node:net';
import {
  CANCEL_REQUEST,
  closeStatementMessage,
  type FrontendMessage,
  fatalMessage,
  GSS_ENCRYPTION_REQUEST,
  messageReader,
  parsedStatementName,
  queryMessage,
  SSL_REQUEST,
  SYNC_MESSAGE,
  withOwnStatementName,
  withoutCopyIn,
} from './frontend-messages.ts';
import { takingTurns } from './turns.ts';

/** The one PostgreSQL backend that all clients share. */
export interface Backend {
  /** Runs complete protocol messages; `onData` gets the responses, in buffers that it must copy. */
  execute(messages: Uint8Array, onData: (data: Uint8Array) => void): Promise<void>;
  isInTransaction(): boolean;
}

export interface ControlListener {
  server: Server;
  /** Runs `action` while no transaction is open and no statement runs. */
  alone<Result>(action: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface ControlListenerOptions {
  /**
   * Milliseconds after which a client is disconnected that idles in its transaction while others wait: it could block
   * them forever, for example by waiting for one of them.
   */
  idleInTransactionMs: number;
  /** Called when the backend itself fails, not only a statement: it must no longer be used. */
  onBroken(error: unknown): void;
}

/** Messages that end a unit: the backend answers them with ReadyForQuery. */
const ENDS_UNIT = new Set(['Q', 'S', 'F']);

/**
 * PostgreSQL's wire protocol over one backend, for several clients. Everything that a client sends up to a Sync runs as
 * a unit, and a client keeps the backend while its transaction is open.
 *
 * (@electric-sql/pglite-socket shares the backend message by message: a client whose parameters are larger than one
 * read of the socket, some 64 KiB, got the result of another client's statement, because that client's Parse came
 * between its own Parse and Bind. Its clients also share the names of prepared statements.)
 */
export function createControlListener(backend: Backend, options: ControlListenerOptions): ControlListener {
  const now = () => performance.now();
  const shared = new SharedBackend(backend, options.onBroken);
  const turns = takingTurns<Socket>(() => shared.isHeld(), now);
  const sockets = new Set<Socket>();
  let clients = 0;

  const server = createServer((socket) => {
    sockets.add(socket);
    const client = new Client(socket, shared, turns, `c${++clients}_`);
    socket.on('data', (chunk) => client.receive(chunk));
    socket.on('error', () => {}); // `close` follows
    socket.on('close', () => {
      sockets.delete(socket);
      client.leave();
    });
  });

  const impatience = setInterval(
    () => {
      const blocker = turns.blocker();
      if (!blocker || now() - blocker.since < options.idleInTransactionMs) return;
      const text = 'terminating connection due to idle-in-transaction timeout while others wait';
      blocker.client.end(fatalMessage('25P03', text));
    },
    Math.min(1_000, options.idleInTransactionMs),
  );
  impatience.unref();

  return {
    server,
    alone: (action) => turns.alone(action),
    async close() {
      clearInterval(impatience);
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      await turns.alone(async () => {});
    },
  };
}

class SharedBackend {
  readonly #backend: Backend;
  readonly #onBroken: (error: unknown) => void;
  /** A client has sent messages since its last Sync. */
  #isUnsynced = false;

  constructor(backend: Backend, onBroken: (error: unknown) => void) {
    this.#backend = backend;
    this.#onBroken = onBroken;
  }

  /** Whether the client that had it last keeps it. */
  isHeld(): boolean {
    return this.#isUnsynced || this.#backend.isInTransaction();
  }

  async run(messages: Buffer, leavesOpen: boolean, onData: (data: Uint8Array) => void): Promise<void> {
    await this.#execute(messages, onData);
    this.#isUnsynced = leavesOpen;
  }

  /** Ends what a client left open that is gone. */
  async release(statements: ReadonlySet<string>): Promise<void> {
    const rest: Buffer[] = [...statements].map(closeStatementMessage);
    if (this.#isUnsynced || rest.length > 0) rest.push(SYNC_MESSAGE);
    if (rest.length > 0) await this.#execute(Buffer.concat(rest), () => {});
    this.#isUnsynced = false;
    if (this.#backend.isInTransaction()) await this.#execute(queryMessage('ROLLBACK'), () => {});
  }

  async #execute(messages: Uint8Array, onData: (data: Uint8Array) => void): Promise<void> {
    try {
      await this.#backend.execute(messages, onData);
    } catch (error) {
      this.#onBroken(error);
      throw error;
    }
  }
}

class Client {
  readonly #socket: Socket;
  readonly #backend: SharedBackend;
  readonly #turns: ReturnType<typeof takingTurns<Socket>>;
  /** Of the names of its prepared statements. */
  readonly #prefix: string;
  readonly #statements = new Set<string>();
  readonly #reader = messageReader();
  #isOpen = false;
  #unit: Buffer[] = [];

  constructor(socket: Socket, backend: SharedBackend, turns: ReturnType<typeof takingTurns<Socket>>, prefix: string) {
    this.#socket = socket;
    this.#backend = backend;
    this.#turns = turns;
    this.#prefix = prefix;
  }

  receive(chunk: Buffer): void {
    try {
      for (const message of this.#reader.push(chunk)) {
        if (this.#isOpen) this.#take(message);
        else this.#begin(message);
      }
    } catch (error) {
      this.#socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  leave(): void {
    this.#turns.leave(this.#socket, () => this.#backend.release(this.#statements)).catch(() => {}); // reported through onBroken
  }

  #begin({ bytes }: FrontendMessage): void {
    const code = bytes.length >= 8 ? bytes.readInt32BE(4) : 0;
    if (code === SSL_REQUEST || code === GSS_ENCRYPTION_REQUEST) this.#socket.write('N');
    // There is no other process to interrupt; the protocol defines no response.
    else if (code === CANCEL_REQUEST) this.#socket.end();
    else {
      this.#isOpen = true;
      this.#reader.opened();
      this.#run(bytes, false);
    }
  }

  #take(received: FrontendMessage): void {
    if (received.type === 'X') {
      this.#socket.end();
      return;
    }
    const message = withoutCopyIn(withOwnStatementName(received, this.#prefix));
    const name = parsedStatementName(message);
    if (name !== '') this.#statements.add(name);
    this.#unit.push(message.bytes);
    // Flush requests the responses so far. The unit is not complete, and no other client may come in between.
    const flush = received.type === 'H';
    if (!flush && !ENDS_UNIT.has(received.type ?? '')) return;
    this.#run(Buffer.concat(this.#unit), flush);
    this.#unit = [];
  }

  #run(messages: Buffer, leavesOpen: boolean): void {
    const socket = this.#socket;
    const answer = (data: Uint8Array) => {
      if (socket.writable) socket.write(Buffer.from(data));
    };
    this.#turns
      .take(socket, () => this.#backend.run(messages, leavesOpen, answer))
      .catch((error) => socket.destroy(error));
  }
}
