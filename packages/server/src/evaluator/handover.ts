import type { Socket } from 'node:net';

interface Handle {
  readStop(): void;
  reading: boolean;
  /** Bytes that the system has not taken yet. */
  readonly writeQueueSize: number;
}

const nothing = Buffer.alloc(0);

/**
 * Prepares a paused connection for another process: nothing more is read from it here, and everything that was written has
 * left. Node has no public method for either: a paused socket still reads into its buffer, and what it has read and not
 * passed on would be lost.
 *
 * @param bytes that were read from it
 * @param done gets these and what was read after them; not called if the connection ends before
 */
export function detach(socket: Socket, bytes: Buffer | undefined, done: (bytes: Buffer) => void): void {
  const handle = (socket as unknown as { readonly _handle: Handle | null })._handle;
  if (handle === null) {
    socket.destroy();
    return;
  }
  // Reading what is in the buffer starts the handle again, so it is stopped afterwards.
  const rest: Buffer | null = socket.read();
  handle.readStop();
  handle.reading = false;
  const all = rest === null ? (bytes ?? nothing) : Buffer.concat([bytes ?? nothing, rest]);
  if (handle.writeQueueSize === 0) {
    done(all);
    return;
  }
  const ignore = () => {};
  socket.on('error', ignore);
  socket.write('', (error) => {
    socket.off('error', ignore);
    if (!error) detach(socket, all, done);
  });
}
