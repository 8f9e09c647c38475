import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { createLog } from '../platform/log.ts';
import { closeHttp, createHttp } from './server.ts';

describe('closing', () => {
  it('does not wait forever for a connection that never sent a request', async () => {
    const app = createHttp({ log: createLog('silent'), maxBodyBytes: 1024, trustProxy: false });
    app.get('/', () => 'here');
    const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const silent = connect(Number(address.port), address.hostname);
    await once(silent, 'connect');
    // The server has accepted it once it answers a later request.
    expect(await (await fetch(address)).text()).toBe('here');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const closed = closeHttp(app);
      const ended = once(silent, 'close');
      await vi.advanceTimersByTimeAsync(10_000);
      await Promise.all([closed, ended]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a request that arrives during shutdown', () => {
  it('is rejected with the envelope and Retry-After', async () => {
    const app = createHttp({ log: createLog('silent'), maxBodyBytes: 1024, trustProxy: false });
    app.get('/', () => 'here');
    const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const began = once(app.server, 'connection');
    const late = connect(Number(address.port), address.hostname);
    let answer = '';
    late.on('data', (chunk) => {
      answer += String(chunk);
    });
    late.write('GET / HTTP/1.1\r\nHost: local');
    const [socket] = await began;
    await once(socket, 'data');
    const closed = closeHttp(app);
    late.write('host\r\n\r\n');
    await Promise.all([closed, once(late, 'close')]);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain('HTTP/1.1 503 ');
    expect(head.toLowerCase()).toContain('retry-after: 2');
    expect(head.toLowerCase()).toContain('connection: close');
    expect(JSON.parse(body)).toMatchObject({ data: null, error: { code: 'SVC-1012', status: 503 } });
  });
});

describe('a malformed HTTP request', () => {
  it.each([
    ['GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400, 'SVC-1014'],
    ['GET / HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n', 400, 'SVC-1014'],
    ['GET / HTTP/1.1\r\n\r\n', 400, 'SVC-1014'],
    ['POST / HTTP/1.1\r\nHost: x\r\nExpect: x\r\nContent-Length: 1\r\n\r\nx', 417, 'SVC-1022'],
    ['FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'SVC-1014'],
    [`GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'SVC-1015'],
    ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', 400, 'SVC-1014'],
  ])('is answered in the envelope', async (text, status, code) => {
    const app = createHttp({ log: createLog('silent'), maxBodyBytes: 1024, trustProxy: false });
    const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(address.port), address.hostname);
    socket.end(text);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    await app.close();
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(JSON.parse(body)).toMatchObject({ data: null, error: { code, status } });
  });
});
