import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { whenClosed } from './when-closed.ts';

/** The response to a client that sends a request and disconnects. */
async function abandoned(before: (response: ServerResponse) => void): Promise<ServerResponse> {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  client.on('error', () => {});
  client.end();
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  before(response);
  const closed = once(response, 'close');
  client.destroy();
  await closed;
  return response;
}

describe('a callback for a closed response', () => {
  it('runs when the client disconnects', async () => {
    let told = 0;
    await abandoned((response) => whenClosed(response, () => told++));
    expect(told).toBe(1);
  });

  it('runs when the client disconnected before', async () => {
    const response = await abandoned(() => {});
    let told = 0;
    whenClosed(response, () => told++);
    expect(told).toBe(1);
  });
});
