import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectCall } from './connect-call.ts';
import { endStream } from './grpc-server.ts';

describe('a stream over HTTP/1.1', () => {
  let server: Server;
  let call: ConnectCall;
  let response: IncomingMessage;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const opened = new Promise<void>((done) => {
      server = createServer((_request, answer) => {
        answer.writeHead(200);
        call = new ConnectCall(answer, Buffer.from('still here'));
        call.write(Buffer.from('ready'));
        done();
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    response = await new Promise((found) => get({ host: '127.0.0.1', port, agent: false }, found));
    response.on('error', () => {});
    await opened;
  });
  afterEach(async () => {
    vi.useRealTimers();
    response.destroy();
    await new Promise((done) => server.close(done));
  });

  /** The flags and the text of the messages up to the end. */
  async function messages(): Promise<(readonly [number, string])[]> {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const found: (readonly [number, string])[] = [];
    for (let rest = Buffer.concat(chunks); rest.length > 0; ) {
      const end = 5 + rest.readUInt32BE(1);
      found.push([rest.readUInt8(0), rest.toString('utf8', 5, end)]);
      rest = rest.subarray(end);
    }
    return found;
  }

  it('has each message with its length, and the error at its end', async () => {
    call.write(Buffer.from('größe'));
    endStream(call, status.UNAVAILABLE, 'the server is stopping');
    endStream(call, status.INTERNAL, 'too late');
    expect(await messages()).toEqual([
      [0, 'ready'],
      [0, 'größe'],
      [2, '{"error":{"code":"unavailable","message":"the server is stopping"}}'],
    ]);
  });

  it('has a message now and then, so that proxies keep it', async () => {
    await vi.waitFor(() => expect(call.writableLength).toBe(0));
    vi.advanceTimersByTime(15_000);
    endStream(call, status.UNAVAILABLE, 'done');
    expect((await messages())[1]).toEqual([0, 'still here']);
  });

  it('is cut off when the client does not read, and counts its messages until then', async () => {
    response.pause();
    const message = Buffer.alloc(1024 * 1024);
    // What the system keeps for a connection counts as read.
    for (let i = 0; i < 40; i++) call.write(message);
    await vi.waitFor(() => expect(call.writableLength).toBeGreaterThan(0));
    const closed = new Promise((done) => call.once('close', done));
    endStream(call, status.RESOURCE_EXHAUSTED, 'the client has not read 16 events');
    expect([call.writable, call.destroyed]).toEqual([false, false]);
    vi.advanceTimersByTime(5_000);
    await closed;
  });

  it('closes when the client leaves', async () => {
    const closed = new Promise((done) => call.once('close', done));
    response.destroy();
    await closed;
  });
});
