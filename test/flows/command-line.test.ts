import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { testClient } from '../../packages/server/src/testing/test-client.ts';
import { logsRequest, nanos } from '../../packages/telemetry/src/testing/otlp.ts';
import { cli, freePort, runProcess, serveProcess } from '../support/server-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'fanion-cli-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const command = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runProcess(args, { FANION_DATA_DIR: join(directory, 'data'), XDG_CONFIG_HOME: join(directory, 'config'), ...env });

describe('fanion', () => {
  it.each([
    [['help'], 0, /fanion serve/],
    [['fly'], 2, /unknown command "fly"/],
    [['restore'], 2, /name a snapshot/],
    [['restore', '/no/such/file'], 2, /does not exist/],
    [['backup'], 2, /name one directory/],
    [['backup', 'gs://bucket/prefix'], 2, /to a directory or to s3:\/\/bucket\/prefix/],
    [['restore', 's3://bucket/prefix/20261128T150405123Z'], 2, /needs AWS_ACCESS_KEY_ID/],
    [['backup', '/tmp', '--data', '/no/such/directory'], 1, /there is no data directory/],
    [['stores', '--wings'], 2, /Unknown option '--wings'/],
    [['stores', '--clickhose'], 2, /Unknown option '--clickhose'; did you mean --clickhouse\?/],
    [['stores', '--port', 'http'], 2, /--port must be a number/],
    [['serve', '--port', '1'], 2, /Unknown option '--port'/],
    [['serve', 'now'], 2, /Unexpected argument 'now'/],
    [['sreve'], 2, /unknown command "sreve"; did you mean fanion serve\?/],
    [['token', 'craete'], 2, /unknown command "token craete"; did you mean fanion token create\?/],
    [['flag'], 2, /^ {2}fanion flag on [\s\S]*fanion flag get/],
    [['flag', '--help'], 0, /^ {2}fanion flag on [\s\S]*fanion flag get/],
    [['help', 'token'], 0, /^ {2}fanion token create/],
    [['flag', 'offf'], 2, /did you mean fanion flag off\?/],
    [['--version'], 0, /^\d+\.\d+\.\d+$/m],
    [['help', 'query'], 0, /fanion query OQL: .*[\s\S]*--limit ROWS/],
    [['drain', '--help'], 0, /--timeout SECONDS/],
    [['drain', '--endpoint', 'http://127.0.0.1:9', '--timeout', '1'], 1, /cannot be reached/],
    [['status', '--endpoint', 'http://127.0.0.1:9'], 1, /cannot be reached/],
    [['status', '--endpoint', 'http://127.0.0.1:9', '--json'], 1, /^\{"status":"unreachable"\}$/m],
    [['tail', '--help'], 0, /Example: fanion tail 'logs/],
    [['query'], 2, /give one query/],
    [['query', 'spans'], 2, /missing API token: run fanion login/],
    [['login'], 2, /must begin with svc_pat_/],
    [['erase', '--attribute', 'user.id'], 2, /name the attribute and its value/],
    [['logout'], 0, /no token of http:\/\/127.0.0.1:8080 is stored/],
    [['setup', '--email', 'ada@example.com'], 2, /--password-file or FANION_SETUP_PASSWORD/],
    [['setup', '--email', 'ada@example.com', '--password-file', '/tmp'], 2, /--password-file cannot be read/],
    [['completion', 'csh'], 2, /bash, zsh, fish/],
    [['export', '--kind', 'flags'], 2, /Unknown option '--kind'; did you mean --kinds\?/],
    [['export', '--kinds', 'silences'], 2, /unknown kind silences: use flags, segments, channels/],
    [['export', '--help'], 0, /--kinds A,B +only these: flags, segments, channels/],
    [['apply', '--prun'], 2, /Unknown option '--prun'; did you mean --prune\?/],
    [['import', 'unleash', 'x.json', '--ouput', 'y'], 2, /did you mean --output\?/],
    [['import', 'unleash', 'x.json', '--interval', '1m'], 2, /fanion import unleash has no option --interval/],
    [['help', 'import'], 0, /--environment-map A=B[\s\S]*Products: launchdarkly/],
    [['demo', '--backfil', '24h'], 2, /Unknown option '--backfil'; did you mean --backfill\?/],
    [['demo', 'surplus'], 2, /Unexpected argument 'surplus'/],
    [['demo', '--rate', 'fast'], 2, /--rate must be a number/],
    [
      ['demo', '--help'],
      0,
      /--endpoint[\s\S]*--backfill[\s\S]*--rate[\s\S]*--seed[\s\S]*--once[\s\S]*--token[\s\S]*--sdk-key/,
    ],
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
      FANION_FLAGD_PORT: '0',
      FANION_FLAGD_SYNC_PORT: '0',
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

  it('sets a server up, applies files, asks, tells its state and waits for its log, all without a browser', async () => {
    const server = await serveProcess(join(directory, 'setup'), await freePort(), { FANION_SIGNUP: 'invite' });
    const env = { FANION_ENDPOINT: server.base, FANION_SETUP_PASSWORD: 'correct-Horse-battery-9' };
    const tokenFile = join(directory, 'token');
    const setup = ['setup', '--email', 'ada@example.com', '--workspace', 'Acme', '--token-file', tokenFile];
    const made = await command(setup, env);
    expect(made).toMatchObject({ code: 0, output: expect.stringMatching(/the workspace acme[\s\S]*the token is in/) });
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    const again = await command(setup, env);
    expect(again).toMatchObject({ code: 0, output: expect.stringMatching(/is there already; nothing was changed/) });
    expect((await command(setup, { ...env, FANION_SETUP_PASSWORD: 'another-Horse-9' })).code).toBe(1);

    const as = { ...env, FANION_TOKEN: readFileSync(tokenFile, 'utf8').trim() };
    const files = join(directory, 'files');
    mkdirSync(join(files, 'flags'), { recursive: true });
    writeFileSync(
      join(files, 'flags', 'new-checkout.yaml'),
      'key: new-checkout\nkind: boolean\nvariants: [{ key: on, value: true }, { key: off, value: false }]\n',
    );
    const applied = await command(['apply', '-f', files, '--yes'], as);
    expect(applied.code, applied.output).toBe(0);

    const sender = await command(
      ['token', 'create', '--name', 'sender', '--permissions', 'telemetry:ingest', '--pin', '--expires-in', '1'],
      as,
    );
    expect(sender.code, sender.output).toBe(0);
    const wrong = await command(['token', 'create', '--name', 'x', '--permissions', 'telemetry:eat'], as);
    expect(wrong).toMatchObject({ code: 2, output: expect.stringMatching(/no permission is named telemetry:eat/) });
    const body = logsRequest([
      { timeUnixNano: nanos(Date.now()), body: { stringValue: 'a \u001b[31mred\u001b[0m line' } },
    ]);
    const sent = await testClient(server.base, { bearer: sender.output.trim() }).post('/v1/logs', body);
    expect(sent.status, sent.text).toBe(200);
    expect(await command(['drain', '--timeout', '60'], as)).toEqual({
      code: 0,
      output: 'everything that was acknowledged is stored\n',
    });
    const table = await command(['query', 'logs | stats n=count() by body'], as);
    expect(table).toMatchObject({ code: 0, output: expect.stringMatching(/^body +n\n-+ +-\na \\u001b\[31mred.* 1$/m) });
    const json = await command(['query', 'logs | stats n=count()', '--json'], as);
    expect(JSON.parse(json.output)).toMatchObject({ rows: [[1]], meta: { truncated: false } });
    expect(await command(['query', 'logs | stat'], as)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/no stage `stat`; did you mean `stats`/),
    });
    const state = await command(['status'], as);
    expect(state.code, state.output).toBe(0);
    expect(state.output).toMatch(/: ok, version [\d.]+, Node v[\d.]+\n {2}control_plane +up/);
    await server.end('SIGTERM');
  });

  it('completes commands and options in bash', () => {
    const script = `source <(node ${cli} completion bash); COMP_WORDS=(fanion query --l); COMP_CWORD=2; _fanion; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(fanion se); COMP_CWORD=1; _fanion; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(fanion apply --pr); COMP_CWORD=2; _fanion; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(fanion flag o); COMP_CWORD=2; _fanion; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(fanion flag set x --v); COMP_CWORD=4; _fanion; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe(
      '--limit\nserve setup\n--prune --project\non off\n--variant\n',
    );
  });
});
