import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/**
 * Gives the messages of one request to a server and resolves with its answers. The SDK's own HTTP transport would bring a second HTTP stack
 * (Hono, Express) into the process; this one only carries messages.
 */
export async function exchange(
  server: Server,
  messages: readonly JSONRPCMessage[],
  signal: AbortSignal,
): Promise<JSONRPCMessage[]> {
  const awaited = messages.filter(isJSONRPCRequest).length;
  const answers: JSONRPCMessage[] = [];
  const { promise: done, resolve } = withResolvers();
  const transport: Transport = {
    start: async () => undefined,
    close: async () => {
      transport.onclose?.();
      resolve();
    },
    send: async (message) => {
      // Without a stream, notifications and requests of the server have no way to the client.
      if ('result' in message || 'error' in message) answers.push(message);
      if (answers.length >= awaited) resolve();
    },
  };
  const leave = () => void server.close();
  await server.connect(transport);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  for (const message of messages) transport.onmessage?.(message);
  if (awaited > 0) await done;
  signal.removeEventListener('abort', leave);
  await server.close();
  return answers;
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
