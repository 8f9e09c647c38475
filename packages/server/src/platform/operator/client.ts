import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { type OperatorAnswer, type OperatorRequest, socketAddress } from './address.ts';

/** No server runs on the data directory. */
export class NoServer extends Error {
  override readonly name = 'NoServer';
}

/**
 * Has the server that runs on a data directory do something.
 * @param signal ends the command when it is aborted
 * @returns what it answers at the end
 * @throws {NoServer}
 * @throws Error with the server's reason
 */
export async function askOperator(
  dataDir: string,
  request: OperatorRequest,
  onProgress: (progress: unknown) => void = () => {},
  signal?: AbortSignal,
): Promise<unknown> {
  const path = await socketAddress(dataDir).catch(noServerIfMissing);
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  }).catch(noServerIfMissing);
  socket.on('error', () => {}); // the lines end
  signal?.addEventListener('abort', () => socket.destroy(), { once: true });
  socket.write(`${JSON.stringify(request)}\n`);
  const lines = createInterface({ input: socket });
  // A socket that is destroyed has no end, for which the lines would wait.
  socket.once('close', () => lines.close());
  try {
    for await (const line of lines) {
      const answer: OperatorAnswer = JSON.parse(line);
      if ('progress' in answer) onProgress(answer.progress);
      else if ('done' in answer) return answer.done;
      else throw new Error(answer.failed);
    }
  } finally {
    socket.destroy();
  }
  throw new Error('the server ended before it had answered');
}

function noServerIfMissing(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ECONNREFUSED') throw new NoServer('no server runs on the data directory');
  throw error;
}
