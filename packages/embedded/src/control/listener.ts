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
  const sockets = new Set<Socket>();
  let unsynced = false;
  let clients = 0;
  const turns = takingTurns<Socket>(() => unsynced || backend.isInTransaction(), now);

  const execute: Backend['execute'] = async (messages, onData) => {
    try {
      await backend.execute(messages, onData);
    } catch (error) {
      options.onBroken(error);
      throw error;
    }
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    const prefix = `c${++clients}_`;
    const statements = new Set<string>();
    const reader = messageReader();
    let open = false;
    let unit: Buffer[] = [];

    const onData = (chunk: Buffer) => {
      try {
        for (const message of reader.push(chunk)) {
          if (open) typed(message);
          else opening(message);
        }
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    };

    const opening = ({ bytes }: FrontendMessage) => {
      const code = bytes.length >= 8 ? bytes.readInt32BE(4) : 0;
      if (code === SSL_REQUEST || code === GSS_ENCRYPTION_REQUEST) socket.write('N');
      // There is no other process to interrupt; the protocol defines no response.
      else if (code === CANCEL_REQUEST) socket.end();
      else {
        open = true;
        reader.opened();
        run(bytes, false);
      }
    };

    const typed = (received: FrontendMessage) => {
      if (received.type === 'X') {
        socket.end();
        return;
      }
      const message = withoutCopyIn(withOwnStatementName(received, prefix));
      const name = parsedStatementName(message);
      if (name !== '') statements.add(name);
      unit.push(message.bytes);
      // Flush requests the responses so far. The unit is not complete, and no other client may come in between.
      const flush = received.type === 'H';
      if (!flush && !ENDS_UNIT.has(received.type ?? '')) return;
      run(Buffer.concat(unit), flush);
      unit = [];
    };

    const run = (messages: Buffer, leavesOpen: boolean) => {
      turns
        .take(socket, async () => {
          await execute(messages, (data) => {
            if (socket.writable) socket.write(Buffer.from(data));
          });
          unsynced = leavesOpen;
        })
        .catch((error) => socket.destroy(error));
    };

    socket.on('data', onData);
    socket.on('error', () => {}); // `close` follows
    socket.on('close', () => {
      sockets.delete(socket);
      turns
        .leave(socket, async () => {
          const rest: Buffer[] = [...statements].map(closeStatementMessage);
          if (unsynced || rest.length > 0) rest.push(SYNC_MESSAGE);
          if (rest.length > 0) await execute(Buffer.concat(rest), () => {});
          unsynced = false;
          if (backend.isInTransaction()) await execute(queryMessage('ROLLBACK'), () => {});
        })
        .catch(() => {}); // reported through onBroken
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
