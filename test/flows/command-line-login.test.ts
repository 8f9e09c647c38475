import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { cli, runProcess } from '../support/server-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'fanion-login-'));
const nowhere = 'http://127.0.0.1:9';

describe('fanion login', () => {
  let server: TestServer;
  let user: SignedUp;
  let token: string;
  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'login');
    token = await user.token(['telemetry:query', 'flags:read'], { project: user.projectId });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** A home directory without a login. */
  const home = (name: string) => {
    const path = join(directory, name);
    const env = { XDG_CONFIG_HOME: path, FANION_TOKEN: '', NO_COLOR: '1' };
    const file = join(path, 'fanion', 'credentials.json');
    const fanion = (args: readonly string[], more: Record<string, string> = {}, input?: string) =>
      runProcess(args, { ...env, ...more }, input);
    return { file, fanion, env };
  };
  const count = ['query', 'logs | stats n=count()'];

  it('stores a verified token that only its owner can read, and later commands use it and its server', async () => {
    const { file, fanion } = home('works');
    const done = await fanion(['login', '--endpoint', `${server.base}/`], {}, `${token}\n`);
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining(`workspace ${user.slug}`) });
    expect(done.output).not.toContain(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    expect(await fanion(count)).toMatchObject({ code: 0 });
    expect((await fanion(['status'])).output).toContain(server.base);

    const given = { FANION_TOKEN: 'svc_pat_nobody', FANION_ENDPOINT: server.base };
    expect(await fanion(count, given)).toMatchObject({
      code: 1,
      output: expect.stringContaining('SVC-2001'),
    });
    const option = await fanion([...count, '--token', token], given);
    expect(option).toMatchObject({ code: 0 });
    // A token that may be of another server is not sent to that of the last login.
    expect((await fanion(['status'], { FANION_TOKEN: 'svc_pat_nobody' })).output).toContain('http://127.0.0.1:8080');
    const elsewhere = await fanion(count, { FANION_ENDPOINT: nowhere });
    expect(elsewhere).toMatchObject({ code: 2, output: expect.stringContaining('missing API token') });

    expect(await fanion(['logout'])).toEqual({ code: 0, output: `removed the token of ${server.base}\n` });
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    expect((await fanion(['query', 'logs', '--endpoint', server.base])).code).toBe(2);
  });

  it('stores nothing when the server rejects the token, or cannot be reached', async () => {
    const { file, fanion } = home('rejected');
    expect(await fanion(['login', '--endpoint', server.base], {}, 'svc_pat_nobody')).toMatchObject({ code: 1 });
    expect(await fanion(['login', '--endpoint', nowhere], {}, token)).toMatchObject({
      code: 1,
      output: expect.stringContaining('cannot be reached'),
    });
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('asks on a terminal, without showing the token', async () => {
    const { file, env } = home('terminal');
    // script(1) runs the command on a terminal of its own.
    const command = `${process.execPath} ${cli} login --endpoint ${server.base}`;
    const asked = promisify(execFile)('script', ['-qec', command, '/dev/null'], { env: { ...process.env, ...env } });
    onTestFinished(() => void asked.child.kill());
    let shown = '';
    asked.child.stdout?.on('data', (chunk) => {
      shown += chunk;
    });
    await expect.poll(() => shown).toContain('API token for');
    asked.child.stdin?.write(`${token}\r`);
    await asked;
    expect(shown).toContain('logged in to');
    expect(shown).not.toContain(token);
    expect(readFileSync(file, 'utf8')).toContain(token);
  });

  it.each([
    ['readable by others', (file: string) => chmodSync(writtenTo(file, '{"tokens":{}}'), 0o644), /chmod 600/],
    ['a directory', (file: string) => mkdirSync(file, { recursive: true }), /must be a file/],
    ['malformed', (file: string) => writtenTo(file, '{"tokens":'), /is malformed: delete it/],
  ])('names the problem when the credentials file is %s', async (name, spoil, text) => {
    const { file, fanion } = home(name);
    spoil(file);
    for (const args of [count, ['login', '--endpoint', server.base], ['logout', '--endpoint', server.base]])
      expect(await fanion(args, {}, token)).toMatchObject({ code: 2, output: expect.stringMatching(text) });
    // It is not read where it is not needed.
    expect(await fanion([...count, '--endpoint', server.base, '--token', token])).toMatchObject({ code: 0 });
  });
});

function writtenTo(file: string, text: string): string {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}
