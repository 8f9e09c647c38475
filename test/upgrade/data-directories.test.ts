import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookiesOf, testClient, testPassword, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import type { Contents } from './contents.ts';

const folder = fileURLToPath(new URL('./archives/', import.meta.url));
const names = readdirSync(folder).map((file) => file.replace(/\.tar\.br$/, ''));

it('there is a data directory of the first version and of this one', () => {
  expect(names).toEqual(expect.arrayContaining(['0.1.0-1cdbf003', '0.3.0']));
});

describe.each(names)('the data directory of version %s', (name) => {
  const directory = mkdtempSync(join(tmpdir(), 'fanion-upgrade-'));
  let server: ServerProcess;
  let contents: Contents;
  let user: ReturnType<typeof testClient>;
  beforeAll(async () => {
    execFileSync('tar', ['-x', '-C', directory], {
      input: brotliDecompressSync(readFileSync(join(folder, `${name}.tar.br`))),
    });
    contents = JSON.parse(readFileSync(join(directory, 'contents.json'), 'utf8'));
    server = await serveProcess(join(directory, 'data'), await freePort(), { FANION_RETENTION_DAYS: '3650' });
    user = await signIn();
  });
  afterAll(async () => {
    await server?.end('SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  });

  const signIn = async () => {
    const body = { email: contents.email, password: testPassword };
    const answer = await testClient(server.base).post('/api/v1/auth/login', body);
    expect(answer.status, answer.text).toBe(200);
    return testClient(server.base, { cookie: cookiesOf(answer) });
  };
  const rowsOf = async (query: string, as = user) => {
    const at = Date.parse(contents.at);
    const [from, to] = [at - 60_000, at + 60_000].map((ms) => new Date(ms).toISOString());
    const answer = await as.post(`${contents.workspace}/query`, { query, from, to });
    expect(answer.status, answer.text).toBe(200);
    return answer.data.rows;
  };

  it('keeps its logs, spans and points, with attributes', async () => {
    expect(await rowsOf('logs | where order.total == 42 | sort body | fields body, service.name')).toEqual([
      ['kept 1', 'shop'],
      ['kept 2', 'shop'],
      ['kept 3', 'shop'],
    ]);
    expect(await rowsOf('spans | fields name, duration, order.total')).toEqual([['checkout', 20_000_000, 42]]);
    expect(await rowsOf('metric stock | stats most=max(value), n=count()')).toEqual([[20, 2]]);
    const trace = await user.get(`${contents.workspace}/traces/${'a'.repeat(32)}`);
    expect(trace.data.spans).toHaveLength(1);
  });

  it('keeps its flags, keys, tokens and saved queries', async () => {
    const sdk = testClient(server.base, { bearer: contents.sdkKey });
    const flag = await sdk.post('/ofrep/v1/evaluate/flags/kept', { context: { targetingKey: 'u' } });
    expect([flag.status, flag.json?.value]).toEqual([200, true]);
    const saved = await user.get(`${contents.workspace}/saved-queries`);
    expect(saved.data.map((one: { name: string }) => one.name)).toContain('Kept');
    expect(await rowsOf('logs | count', testClient(server.base, { bearer: contents.token }))).toEqual([[3]]);
  });

  it('takes changes and new telemetry, and opens again', async () => {
    const sender = testClient(server.base, { bearer: contents.token });
    const record = { timeUnixNano: `${Date.parse(contents.at) + 30_000}000000`, body: { stringValue: 'new' } };
    const sent = await sender.post('/v1/logs', { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
    expect(sent.status, sent.text).toBe(200);
    const created = await user.post(`${contents.project}/flags`, { key: 'new', name: 'new', kind: 'boolean' });
    expect(created.status, created.text).toBe(201);
    await until(async () => (await rowsOf('logs | count'))[0][0] === 4);

    await server.end('SIGTERM');
    server = await serveProcess(join(directory, 'data'), await freePort(), { FANION_RETENTION_DAYS: '3650' });
    user = await signIn();
    expect(await rowsOf('logs | count')).toEqual([[4]]);
    expect((await user.get(`${contents.project}/flags/new`)).status).toBe(200);
  });
});
