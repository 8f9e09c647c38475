import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import type { TestResponse } from '../../../packages/server/src/testing/test-client.ts';

/** The response to the handshake of a WebSocket, which is closed at once. */
export async function openWebSocket(
  base: string,
  path: string,
  { cookie, bearer }: { readonly cookie?: string; readonly bearer?: string },
  extra: Record<string, string>,
): Promise<TestResponse> {
  const headers = {
    ...(cookie !== undefined && { cookie, origin: base }),
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...extra,
  };
  const socket = new WebSocket(base.replace('http', 'ws') + path, { headers });
  socket.on('error', () => {});
  const [answer] = await Promise.race([
    once(socket, 'upgrade') as Promise<[IncomingMessage]>,
    once(socket, 'unexpected-response').then(([, response]) => [response as IncomingMessage] as const),
  ]);
  const status = answer.statusCode ?? 0;
  const text = status === 101 ? '' : await textOf(answer);
  socket.terminate();
  const json = text === '' ? undefined : JSON.parse(text);
  const received = Object.entries(answer.headers).flatMap(([name, value]) => [
    [name, String(value)] as [string, string],
  ]);
  return { status, headers: new Headers(received), text, json, data: json?.data };
}
