import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { getPriority } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type SignedUp,
  signUp,
  type TestClient,
  testClient,
  until,
} from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { signal } from './support/processes.ts';
import { freshDirectory } from './support/stored.ts';

const settings = { FANION_EVALUATION_PROCESS: 'on' };
const evaluation = '/ofrep/v1/evaluate/flags/split';

/** The child process that runs everything but evaluations. */
function serverOf(evaluator: number | undefined): number | undefined {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args=']).toString().split('\n');
  const line = lines.find((text) => text.trim().split(/\s+/)[1] === String(evaluator) && text.includes('server-entry'));
  return line === undefined ? undefined : Number(line.trim().split(/\s+/)[0]);
}

/** Undefined if the thread has just ended. */
function priorityOf(thread: number): number | undefined {
  try {
    return getPriority(thread);
  } catch {
    return undefined;
  }
}

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('evaluation in a separate process', () => {
  const directory = freshDirectory('evaluation-process');
  let port: number;
  let server: ServerProcess;
  let user: SignedUp;
  let sdk: TestClient;

  beforeAll(async () => {
    port = await freePort();
    server = await serveProcess(directory.path, port, settings);
    user = await signUp(server.base);
    await flagsOf(user).create('split');
    await flagsOf(user).serve('split');
    sdk = testClient(server.base, { bearer: await user.sdkKey() });
  });
  afterAll(async () => {
    await server?.end('SIGKILL');
    directory.remove();
  });

  const evaluate = (as = sdk, context: object = { targetingKey: 'u' }, headers = {}) =>
    as.post(evaluation, { context }, headers);
  const metric = async (name: string) => {
    const text = await (await fetch(`${server.base}/internal/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };

  it('runs the server below the evaluator, with all its threads', () => {
    const below = Math.min(19, getPriority(server.child.pid ?? 0) + 5);
    const pid = serverOf(server.child.pid) ?? 0;
    // Only Linux has a priority for each thread.
    const threads = process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
    expect(threads.map(priorityOf).filter((priority) => priority !== undefined && priority < below)).toEqual([]);
  });

  it('answers evaluations and everything else on one connection, in order', async () => {
    const key = await user.sdkKey();
    const body = '{"context":{"targetingKey":"u"}}';
    const post = `POST ${evaluation} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const get = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    const last = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const socket = connect(port, '127.0.0.1');
    socket.end([post, get, post, post, last].join(''));
    let text = '';
    for await (const chunk of socket) text += chunk;
    const answers = text.split('HTTP/1.1 ').slice(1);
    expect(answers.map((answer) => [answer.slice(0, 3), answer.includes('"key":"split"')])).toEqual([
      ['200', true],
      ['200', false],
      ['200', true],
      ['200', true],
      ['200', false],
    ]);
  });

  it('passes on bodies of any size without losing a byte', async () => {
    const sizes = [0, 1, 40_000, 49_000, 64_000, 65_536, 100_000, 200_000, 250_000];
    const answers = sizes.flatMap((size) =>
      // Some of them share a connection.
      [1, 2].map(async () => (await evaluate(sdk, { targetingKey: 'u', text: 'é'.repeat(size / 2) })).status),
    );
    expect(await Promise.all(answers)).toEqual(answers.map(() => 200));
    const name = 'n'.repeat(60_000);
    const long = await user.post(`${user.workspace}/oql/explain`, { query: `logs | where message == "${name}"` });
    expect(long.status, long.text.slice(0, 300)).toBe(200);
  });

  it('evaluates a change, and all flags for its announced version', async () => {
    await flagsOf(user).create('later');
    const { version } = await flagsOf(user).serve('later');
    expect(version).toBeGreaterThan(0);
    await until(async () => (await sdk.post('/ofrep/v1/evaluate/flags/later', { context: {} })).json.value === true);
    const bulk = await sdk.post('/ofrep/v1/evaluate/flags', { context: {} });
    expect(bulk.json.flags.map(({ key }: { key: string }) => key)).toEqual(['later', 'split']);
  });

  it('evaluates with a segment of many keys', async () => {
    const included = Array.from({ length: 50_000 }, (_, n) => `unit-${n}`);
    const made = await user.post(`${user.project}/segments`, { key: 'many', name: 'Many', included });
    expect(made.status, made.text.slice(0, 300)).toBe(201);
    await flagsOf(user).create('members');
    const rule = { clauses: [{ op: 'in_segment', values: ['many'] }], variant: 'true' };
    await flagsOf(user).serve('members', { rules: [rule], fallthrough: { variant: 'false' } });
    const member = async (targetingKey: string) =>
      (await sdk.post('/ofrep/v1/evaluate/flags/members', { context: { targetingKey } })).json.value;
    await until(async () => (await member('unit-49999')) === true);
    expect([await member('unit-0'), await member('unit-50000')]).toEqual([true, false]);
  });

  it('rejects a revoked key, an unknown one and none', async () => {
    const made = await user.post(`${user.project}/flag-keys`, { environment: 'production', name: 'revoked' });
    const { id, key: secret } = made.data;
    const revoked = testClient(server.base, { bearer: secret });
    expect((await evaluate(revoked)).status).toBe(200);
    const ended = await user.del(`/api/v1/tokens/${id}?workspace=${user.workspaceId}`);
    expect(ended.status, ended.text).toBeLessThan(300);
    expect((await evaluate(revoked)).status).toBe(401);
    expect((await evaluate(testClient(server.base, { bearer: `${secret.slice(0, -4)}aaaa` }))).status).toBe(401);
    expect((await evaluate(testClient(server.base))).status).toBe(401);
  });

  it('continues while the server is killed and started again, and counts each evaluation once', async () => {
    const sent = new Set<string>();
    const answered: string[] = [];
    // As an SDK has connections of its own: one that a browser has used belongs to the server, and ends with it.
    const agent = new Agent({ keepAlive: true });
    const secret = await user.sdkKey();
    const statusOf = (headers: Record<string, string>, body: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const all = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers };
        const sending = request(server.base + evaluation, { method: 'POST', agent, headers: all }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode));
        });
        sending.on('error', reject);
        sending.setHeader('content-length', Buffer.byteLength(body));
        sending.end(body);
      });
    const traced = async () => {
      const trace = randomBytes(16).toString('hex');
      sent.add(trace);
      const traceparent = `00-${trace}-${randomBytes(8).toString('hex')}-01`;
      const context = { targetingKey: `u-${trace.slice(0, 4)}` };
      expect(await statusOf({ traceparent }, JSON.stringify({ context }))).toBe(200);
      answered.push(trace);
    };
    const logged = () => metric('fanion_flag_evaluations_logged_total');
    const before = await logged();
    for (let n = 0; n < 50; n++) await traced();
    await until(async () => (await logged()) - before >= 50, 20_000);
    const promised = [...answered];

    const killed = serverOf(server.child.pid);
    if (killed === undefined) throw new Error(`no server process: ${server.output()}`);
    process.kill(killed, 'SIGKILL');
    await until(async () => !isRunning(killed));
    // The pooled connections were the server's, and ended with it.
    const refused = await until(() => fetch(`${server.base}/readyz`).catch(() => undefined));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await refused.json()).toMatchObject({ error: { code: 'SVC-1027' } });
    for (let n = 0; n < 50; n++) await traced();
    // Counted while the server was away.
    promised.push(...answered.slice(50));

    await until(async () => {
      await traced();
      return (await fetch(`${server.base}/readyz`)).status === 200;
    }, 60_000);
    expect(await metric('fanion_server_restarts_total')).toBe(1);
    await flagsOf(user).serve('split', { fallthrough: { variant: 'false' } });
    await until(async () => (await evaluate()).json.value === false);

    const rows = await until(async () => {
      const body = {
        query: 'flags "split" | stats n=count() by trace_id',
        from: 'now-1h',
        to: 'now+1h',
        limit: 10_000,
      };
      const found = (await user.post(`${user.workspace}/query`, body)).data?.rows as [string, number][] | undefined;
      const stored = new Map(found);
      return promised.every((trace) => stored.has(trace)) ? found : undefined;
    }, 60_000);
    expect(rows?.filter(([trace, n]) => sent.has(trace) && n !== 1)).toEqual([]);
    agent.destroy();
  }, 120_000);

  it('ends as one when it is killed, and starts again in the same directory', async () => {
    const child = serverOf(server.child.pid);
    await server.end('SIGKILL');
    await until(async () => child !== undefined && !isRunning(child));
    server = await serveProcess(directory.path, port, settings);
    expect((await evaluate()).status).toBe(200);
  }, 120_000);

  it('answers what it has accepted, and logs what it has counted, before a normal end', async () => {
    const child = serverOf(server.child.pid);
    const answers = Array.from({ length: 20 }, () => evaluate());
    const exited = once(server.child, 'exit');
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200));
    signal(server.child.pid, 'SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(child !== undefined && isRunning(child)).toBe(false);
    expect(server.output()).not.toContain('evaluation counts are lost');
  }, 60_000);
});
