import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SignedUp, signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { logsRequest, nanos } from '../../packages/telemetry/src/testing/otlp.ts';
import { cli, runProcess, startProcess } from '../support/server-process.ts';

/** A command that ends with its test at the latest. */
function started(...call: Parameters<typeof startProcess>) {
  const running = startProcess(...call);
  onTestFinished(() => running.end('SIGKILL'));
  return running;
}

describe('fanion tail', () => {
  let server: TestServer;
  let user: SignedUp;
  let env: Readonly<Record<string, string>>;
  let send: (body: string, severityNumber?: number, copies?: number) => Promise<void>;
  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'tail');
    env = { FANION_ENDPOINT: server.base, FANION_TOKEN: await user.token(['telemetry:query']) };
    const sender = testClient(server.base, {
      bearer: await user.token(['telemetry:ingest']),
    });
    send = async (body, severityNumber = 17, copies = 1) => {
      const now = Date.now();
      const records = Array.from({ length: copies }, (_, ago) => ({
        timeUnixNano: nanos(now - ago),
        severityNumber,
        body: { stringValue: body },
      }));
      const { status, text } = await sender.post('/v1/logs', logsRequest(records));
      expect(status, text).toBe(200);
    };
  });
  afterAll(() => server?.stop());

  it('prints matching records, one a line and without colors, until Ctrl-C', async () => {
    const tail = started(['tail', 'logs | where severity >= error'], env);
    await send('fine', 9);
    await send('payment\nfailed');
    await expect.poll(tail.output).toMatch(/^\d{4}-\S+ {2}ERROR {2}\S* {2}payment\\nfailed\n$/);
    await tail.end('SIGINT');
    expect(tail.child.exitCode).toBe(0);
  });

  it('prints JSON, reports what the server leaves out, and ends quietly when its reader has enough', async () => {
    await send('many', 17, 800);
    const script = `${process.execPath} ${cli} tail 'logs | where body == "many"' --json | head -n 1`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-o', 'pipefail', '-c', script], {
      env: { ...process.env, ...env },
    });
    expect(JSON.parse(stdout)).toMatchObject({ severity: 'error', body: 'many' });
    expect(stderr).toMatch(
      /^fanion tail: the server left out \d+ records between \S+ and \S+: narrow the condition\n$/,
    );
  });

  it.each([
    ['', '\u001b[31mERROR\u001b[0m  '],
    ['1', 'Z  ERROR  '],
  ])('colors records on a terminal, unless NO_COLOR is "%s"', async (noColor, severity) => {
    await send('in color');
    // script(1) runs the command on a terminal. Without exec, a shell that stays in front answers Ctrl-C itself.
    const command = `exec ${process.execPath} ${cli} tail 'logs | where body == "in color"'`;
    const shell = execFile('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, ...env, NO_COLOR: noColor },
    });
    onTestFinished(() => void shell.kill());
    let shown = '';
    shell.stdout?.on('data', (chunk) => {
      shown += chunk;
    });
    await expect.poll(() => shown).toContain('in color\r\n');
    expect(shown).toContain(severity);
    const ended = once(shell, 'exit');
    shell.stdin?.write('\u0003');
    expect(await ended).toEqual([0, null]);
  });

  it('connects again after a broken connection, and says so', async () => {
    const sockets = new Set<Socket>();
    const proxy = createServer((client) => {
      const upstream = connect(Number(new URL(server.base).port), '127.0.0.1');
      for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
      client.pipe(upstream).pipe(client);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const tail = started(['tail', 'logs'], { ...env, FANION_ENDPOINT: `http://127.0.0.1:${port}` });
    await send('before the break');
    await expect.poll(tail.output).toContain('before the break');
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(tail.output)
      .toMatch(/the connection broke; connecting again in 0.5 s\nfanion tail: connected again\n/);
    await send('after the break');
    await expect.poll(tail.output).toContain('after the break');
    expect(tail.output().split('before the break')).toHaveLength(2);
    await tail.end('SIGINT');
    proxy.close();
  });

  it.each([
    [['tail'], 2, /give one query/],
    [['tail', 'logs | limit 10'], 2, /only where stages/],
    [['tail', 'logs | where nothing.like.it > 1s'], 1, /SVC-/],
    [['tail', 'logs', '--endpoint', 'http://127.0.0.1:9', '--workspace', 'x'], 1, /cannot be reached/],
  ] as const)('%s exits with %i', async (args, code, text) => {
    expect(await runProcess(args, env)).toMatchObject({ code, output: expect.stringMatching(text) });
  });
});
