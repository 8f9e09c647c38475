import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp, until } from '../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../flags/support.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { freshDirectory } from './support/stored.ts';

/** What a balancer needs to see that a server is not ready, and to finish what it sent there. */
const noticedMs = 500;

describe.each([
  ['with an evaluation process', 'on'],
  ['without an evaluation process', 'off'],
])('SIGTERM behind a load balancer, %s', (_name, evaluationProcess) => {
  const directory = freshDirectory('drain');
  let server: ServerProcess;
  let key: string;
  let token: string;

  beforeAll(async () => {
    server = await serveProcess(directory.path, await freePort(), {
      FANION_DRAIN_SECONDS: '3',
      FANION_EVALUATION_PROCESS: evaluationProcess,
    });
    const user = await signUp(server.base);
    token = await user.token(['telemetry:ingest']);
    await flagsOf(user).create('split');
    await flagsOf(user).serve('split');
    key = await user.sdkKey();
  });
  afterAll(async () => {
    await server?.end('SIGKILL');
    directory.remove();
  });

  it('answers every request until the balancer has noticed, and ends each connection after its answer', async () => {
    const agent = new Agent({ keepAlive: true });
    const ask = (method: string, path: string, bearer?: string, body?: string) =>
      new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
        const headers = {
          ...(bearer && { authorization: `Bearer ${bearer}` }),
          ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        };
        const sending = request(server.base + path, { method, agent, headers }, (response) => {
          response.resume().once('end', () => {
            resolve({ status: response.statusCode ?? 0, connection: response.headers.connection });
          });
        });
        sending.once('error', reject).end(body);
      });
    const kinds = [
      () => ask('POST', '/ofrep/v1/evaluate/flags', key, '{"context":{"targetingKey":"a"}}'),
      () => ask('GET', '/api/v1/meta'),
      () => ask('POST', '/v1/traces', token, '{"resourceSpans":[]}'),
    ];
    const answers: string[] = [];
    const draining = kinds.map(() => new Set<string>());
    let sent = 0;
    let goesOn = true;
    let isDraining = false;
    const sending = kinds.map(async (send, kind) => {
      while (goesOn) {
        sent++;
        const wasDraining = isDraining;
        const answer = await send().catch((error: unknown) => ({ status: String(error), connection: undefined }));
        answers.push(String(answer.status));
        if (wasDraining) draining[kind]?.add(String(answer.connection));
      }
    });
    await until(async () => answers.length > 100);
    const exited = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await until(async () => (await ask('GET', '/readyz')).status === 503);
    isDraining = true;
    await new Promise((resolve) => setTimeout(resolve, noticedMs));
    expect((await ask('GET', '/healthz')).status).toBe(200);
    goesOn = false;
    await Promise.all(sending);
    expect(await exited).toEqual([0, null]);
    expect(answers.filter((status) => status !== '200')).toEqual([]);
    expect(draining.map((kept) => [...kept])).toEqual(kinds.map(() => ['close']));
    console.log(`${sent} requests around SIGTERM, failed 0`);
    agent.destroy();
  });

  it('stops at once at SIGINT', async () => {
    server = await serveProcess(directory.path, await freePort(), {
      FANION_DRAIN_SECONDS: '600',
      FANION_EVALUATION_PROCESS: evaluationProcess,
    });
    const exited = once(server.child, 'exit');
    server.child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  });
});
