import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** DNS rebinding: a page of another host whose name resolves to this machine, so the connection comes from loopback. */
describe('a server without FANION_BASE_URL', () => {
  let server: TestServer;
  let web: string;
  let user: SignedUp;

  beforeAll(async () => {
    web = await mkdtemp(join(tmpdir(), 'fanion-web-'));
    await writeFile(join(web, 'index.html'), '<script nonce="__CSP_NONCE__"></script>');
    server = await startTestServer({ webDirectory: web });
    user = await signUp(server.base);
  });
  afterAll(async () => {
    await server?.stop();
    if (web !== undefined) await rm(web, { recursive: true, force: true });
  });

  const send = (path: string, headers: Record<string, string>, method = 'GET', body?: string) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(server.base + path, { method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on('error', reject);
      sent.end(body);
    });

  it.each(['/', '/internal/metrics', '/api/v1/meta', '/api/v1/auth/me', '/api/v1/openapi.json', '/nowhere'])(
    'refuses %s under a foreign name',
    async (path) => {
      const answer = await send(path, { host: 'rebound.example', cookie: user.cookie, accept: 'text/html' });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('SVC-1021')]);
    },
  );

  it('rejects a change whose Origin and Host are the same foreign name', async () => {
    const headers = {
      host: 'rebound.example',
      origin: 'http://rebound.example',
      cookie: user.cookie,
      'content-type': 'application/json',
    };
    const answer = await send('/api/v1/workspaces', headers, 'POST', '{"name":"Theirs"}');
    expect(answer.status).toBe(400);
  });

  it('accepts all loopback names, and any name for probes', async () => {
    const port = new URL(server.base).port;
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `app.localhost:${port}`])
      expect((await send('/api/v1/meta', { host })).status, host).toBe(200);
    expect((await send('/internal/metrics', { host: `localhost:${port}` })).status).toBe(200);
    expect((await send('/healthz', { host: 'probe.internal' })).status).toBe(200);
  });

  it('accepts evaluations under any name, since they carry their own key', async () => {
    const authorization = `Bearer ${await user.sdkKey()}`;
    const answer = await send('/ofrep/v1/evaluate/flags', { host: 'fanion', authorization }, 'POST', '{}');
    expect(answer.status).toBe(200);
  });

  it('fills in the nonce of the page under every path', async () => {
    for (const path of ['/', '/index.html', '//index.html', '/./index.html', '/assets/../index.html', '/flags']) {
      const { status, text } = await send(path, { accept: 'text/html' });
      expect([status, text], path).toEqual([200, expect.not.stringContaining('__CSP_NONCE__')]);
    }
  });
});

describe('a server with FANION_BASE_URL', () => {
  it('accepts that name and loopback names', async () => {
    const server = await startTestServer({ env: { FANION_BASE_URL: 'https://fanion.example.com' } });
    const status = (host: string) =>
      new Promise<number>((resolve, reject) => {
        request(`${server.base}/api/v1/meta`, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on('error', reject)
          .end();
      });
    try {
      expect(await status('fanion.example.com')).toBe(200);
      expect(await status('localhost')).toBe(200);
      expect(await status('evil.example')).toBe(400);
    } finally {
      await server.stop();
    }
  });
});
