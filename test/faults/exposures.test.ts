import { randomBytes } from 'node:crypto';
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
import { signal, storesOf } from './support/processes.ts';
import { freshDirectory } from './support/stored.ts';

const rounds = Number(process.env.KILL_ROUNDS ?? 3);
const victims = ['server', 'telemetry store', 'all'] as const;
const senders = 8;

/**
 * Evaluations are answered before they are durable, so the promise covers those that the server reports as logged (a
 * tenth of a second later): each is stored once, and no evaluation twice.
 */
describe(`kill -9 during evaluation, ${rounds} rounds`, () => {
  const directory = freshDirectory('exposures');
  let port: number;
  let server: ServerProcess;
  let user: SignedUp;
  let sdk: TestClient;

  beforeAll(async () => {
    port = await freePort();
    server = await serveProcess(directory.path, port);
    user = await signUp(server.base);
    const flags = flagsOf(user);
    await flags.create('killed');
    await flags.serve('killed');
    sdk = testClient(server.base, { bearer: await user.sdkKey() });
  });
  afterAll(async () => {
    await server?.end('SIGKILL');
    directory.remove();
  });

  /** Evaluates continuously until stopped, each time with a new trace. */
  function evaluating(sent: Set<string>) {
    const answered: string[] = [];
    let stopped = false;
    const done = Array.from({ length: senders }, async () => {
      while (!stopped) {
        const trace = randomBytes(16).toString('hex');
        sent.add(trace);
        const traceparent = `00-${trace}-${randomBytes(8).toString('hex')}-01`;
        const context = { targetingKey: `user-${trace.slice(0, 4)}` };
        try {
          const { status } = await sdk.post('/ofrep/v1/evaluate/flags/killed', { context }, { traceparent });
          if (status === 200) answered.push(trace);
        } catch {
          // The server was killed during the request; it may or may not be counted.
          return;
        }
      }
    });
    return {
      answered,
      async stop() {
        stopped = true;
        await Promise.all(done);
      },
    };
  }

  const logged = async () => {
    const metrics = await (await fetch(`${server.base}/internal/metrics`)).text();
    return Number(/^fanion_flag_evaluations_logged_total (\d+)$/m.exec(metrics)?.[1]);
  };

  it('loses nothing in the log, and counts nothing twice', async () => {
    const sent = new Set<string>();
    const promised = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const before = await logged();
      const first = evaluating(sent);
      await until(async () => first.answered.length > 200, 60_000);
      await first.stop();
      await until(async () => (await logged()) - before >= first.answered.length, 60_000);
      for (const trace of first.answered) promised.add(trace);

      const second = evaluating(sent);
      await until(async () => second.answered.length > 50 + Math.random() * 200, 60_000);
      const victim = victims[round % victims.length] ?? 'all';
      if (victim !== 'server') signal(storesOf(server.child.pid).telemetry, 'SIGKILL');
      if (victim !== 'telemetry store') {
        await server.end('SIGKILL');
        await second.stop();
        server = await serveProcess(directory.path, port);
      } else {
        await second.stop();
        // The server keeps running, so it has lost nothing.
        for (const trace of second.answered) promised.add(trace);
      }
    }

    const ask = async (query: string) => {
      const body = { query, from: 'now-1h', to: 'now+1h', limit: 100_000 };
      return (await user.post(`${user.workspace}/query`, body)).data?.rows as [string, number][] | undefined;
    };
    const rows = await until(async () => {
      const found = await ask('flags "killed" | stats n=count() by trace_id');
      const stored = new Set(found?.map(([trace]) => trace));
      return found !== undefined && [...promised].every((trace) => stored.has(trace)) ? found : undefined;
    }, 60_000);
    expect(rows.filter(([, n]) => n !== 1)).toEqual([]);
    expect(rows.filter(([trace]) => !sent.has(trace))).toEqual([]);
    console.log(
      `${rounds} kills: ${promised.size} evaluations promised, ${rows.length} of ${sent.size} sent are stored`,
    );
    expect(promised.size).toBeGreaterThan(200 * rounds);

    // The same inserts wrote the counts per minute.
    await until(async () => {
      const { environments } = (await user.get(`${user.project}/flags/killed`)).data;
      return environments.some(({ last_evaluated_at }: { last_evaluated_at: string | null }) => last_evaluated_at);
    });
  }, 600_000);
});
