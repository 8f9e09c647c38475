import { chmod, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { messageOf } from '../message-of.ts';
import { LONGEST_LINE, LONGEST_SOCKET_PATH, type OperatorAnswer, SOCKET } from './address.ts';

/**
 * Does what an operator asks for on this machine.
 * @param signal is aborted when the operator's process has gone
 */
export type OperatorCommand = (
  given: unknown,
  context: { readonly progress: (report: unknown) => void; readonly signal: AbortSignal },
) => Promise<unknown>;

const Request = z.object({ command: z.string(), arguments: z.unknown().optional() });

/** Listens on a Unix socket in the data directory, whose lock this process holds. */
export async function openOperatorSocket(
  dataDir: string,
  commands: Readonly<Record<string, OperatorCommand>>,
): Promise<{ close(): Promise<void> }> {
  const path = join(dataDir, SOCKET);
  // Left by a process that was killed.
  await rm(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket, commands);
  });
  const isShort = Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;
  // Nobody else can reach the socket in a directory of mode 0700 until its own mode is set.
  const made = await mkdtemp(isShort ? join(dataDir, '.op-') : join(tmpdir(), 'fanion-'));
  const inside = join(made, 's');
  await listen(server, inside);
  await chmod(inside, 0o600);
  if (isShort) {
    await rename(inside, path);
    await rm(made, { recursive: true });
  } else await symlink(inside, path);
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      await rm(path, { force: true });
      await rm(made, { recursive: true, force: true });
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Answers the first line of a connection. */
function serve(socket: Socket, commands: Readonly<Record<string, OperatorCommand>>): void {
  const gone = new AbortController();
  socket.on('error', () => {}); // `close` follows
  socket.on('close', () => gone.abort(new Error('the command was ended')));
  const send = (answer: OperatorAnswer) => {
    if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
  };
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
    if (received > LONGEST_LINE) socket.destroy();
  });
  const lines = createInterface({ input: socket });
  lines.once('line', (line) => {
    run(line, commands, { progress: (progress) => send({ progress }), signal: gone.signal })
      .then(
        (done) => send({ done: done ?? null }),
        (error) => send({ failed: messageOf(error) }),
      )
      .finally(() => socket.end());
  });
}

async function run(
  line: string,
  commands: Readonly<Record<string, OperatorCommand>>,
  context: Parameters<OperatorCommand>[1],
): Promise<unknown> {
  const request = Request.safeParse(parse(line));
  if (!request.success) throw new Error('malformed request: send {"command": …, "arguments": …} on one line');
  const { command, arguments: given } = request.data;
  const known = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (known === undefined) throw new Error(`this server does not know the command "${command}"`);
  return known(given, context);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // reported as malformed
  }
}
