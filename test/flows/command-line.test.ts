import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort, serveProcess, startProcess } from '../support/server-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'fanion-cli-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a command to its end. */
async function command(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { child, output } = startProcess(args, { FANION_DATA_DIR: join(directory, 'data'), ...env });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { code, output: output() };
}

describe('fanion', () => {
  it.each([
    [['help'], 0, /fanion serve/],
    [['fly'], 2, /unknown command "fly"/],
    [['restore'], 2, /name a snapshot/],
    [['restore', '/no/such/file'], 2, /does not exist/],
    [['stores', '--wings'], 2, /Unknown option '--wings'/],
  ] as const)('%s exits with %i', async (args, code, text) => {
    const ended = await command(args);
    expect(ended.code).toBe(code);
    expect(ended.output).toMatch(text);
    expect(ended.output).not.toMatch(/\n {4}at /);
  });

  it.each([
    [{ FANION_PORT: 'eighty' }, /FANION_PORT/],
    [{ FANION_ROLE: 'api,everything' }, /FANION_ROLE/],
    [{ FANION_SECRET_KEY: 'short' }, /FANION_SECRET_KEY: at least 32 characters/],
    [{ DATABASE_URL: 'postgres://u@h/d' }, /FANION_SECRET_KEY/],
    [{ FANION_WAL_MAX_BYTES: '1MiB' }, /FANION_WAL_MAX_BYTES: at least 64MiB/],
  ])('serve names the invalid variable in %j', async (env, text) => {
    const ended = await command(['serve'], env);
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(text);
  });

  it('serve ends, and frees its data, when its port is taken', async () => {
    const squatter = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
    const ended = await command(['serve'], {
      FANION_PORT: String(port),
      FANION_OTLP_HTTP_PORT: '0',
      FANION_OTLP_GRPC_PORT: '0',
    });
    squatter.close();
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(/FANION_PORT: another program listens/);
    const server = await serveProcess(join(directory, 'data'), await freePort());
    const second = await command(['serve'], { FANION_PORT: String(await freePort()) });
    expect(second.code).toBe(1);
    expect(second.output).toContain(String(server.child.pid));
    await server.end('SIGTERM');
  });

  it('serve runs only its role', async () => {
    const server = await serveProcess(join(directory, 'flags'), await freePort(), { FANION_ROLE: 'flags' });
    const status = (path: string, method = 'POST') =>
      fetch(server.base + path, { method }).then((response) => response.status);
    expect(await status('/ofrep/v1/evaluate/flags')).toBe(401);
    expect(await status('/api/v1/auth/me', 'GET')).toBe(404);
    expect(await status('/v1/traces')).toBe(404);
    await server.end('SIGTERM');
  });
});
