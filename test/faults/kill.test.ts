import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { endpoints, itemsOfBatch, type Target, targetOf } from './support/endpoints.ts';
import { signal, storesOf } from './support/processes.ts';
import { compareWithDirectory, drained, freshDirectory, push, tallyText } from './support/stored.ts';

/** `KILL_ROUNDS=100` for the figures of docs/benchmarks.md. */
const rounds = Number(process.env.KILL_ROUNDS ?? 3);
const victims = ['server', 'telemetry store', 'all', 'control plane'] as const;
const dayMs = 86_400_000;

/** One batch in 24 spans 66 days, which is more partitions than one block may have. */
function times(batch: number): number[] {
  const now = Date.now() - 1000;
  const isLong = Math.floor(batch / endpoints.length) % 24 === 0;
  return Array.from({ length: itemsOfBatch }, (_, i) => now - (isLong ? ((i * 7 + batch) % 66) * dayMs : i));
}

describe(`kill -9 during ingest of all signals, ${rounds} rounds`, () => {
  const directory = freshDirectory('kill');
  let port: number;
  let grpcPort: number;
  let server: ServerProcess;
  let user: SignedUp;
  let target: Target;
  let starts = 0;

  /** The retention class of new data changes each time; replayed data keeps its own. */
  const start = () =>
    serveProcess(directory.path, port, {
      FANION_OTLP_GRPC_PORT: String(grpcPort),
      FANION_RETENTION_DAYS: starts++ % 2 === 0 ? '90' : '180',
    });

  beforeAll(async () => {
    [port, grpcPort] = [await freePort(), await freePort()];
    server = await start();
    user = await signUp(server.base);
    target = targetOf(server.base, grpcPort, await user.token(['telemetry:ingest']));
  });
  afterAll(async () => {
    target?.grpc.close();
    await server?.end('SIGKILL');
    directory.remove();
  });

  it('loses no acknowledged data, and stores nothing twice', async () => {
    const acknowledged = new Map();
    const readyAgain: { victim: string; ms: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const before = acknowledged.size;
      const pushing = push(() => target, { acknowledged, times });
      // Kills at a random point while batches are in progress, after enough are acknowledged.
      await until(async () => acknowledged.size - before > 20 + Math.random() * 80, 60_000);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 500));
      const victim = victims[round % victims.length] ?? 'all';
      const { telemetry, control } = storesOf(server.child.pid);
      const killedAt = performance.now();
      if (victim === 'telemetry store' || victim === 'all') signal(telemetry, 'SIGKILL');
      if (victim === 'control plane' || victim === 'all') signal(control, 'SIGKILL');
      if (victim === 'server' || victim === 'all') {
        await server.end('SIGKILL');
        await pushing.stop();
        server = await start();
        readyAgain.push({ victim, ms: performance.now() - killedAt });
      } else {
        // The server keeps running and acknowledges data while its store restarts.
        const during = acknowledged.size;
        await until(async () => acknowledged.size - during > 20, 60_000);
        await pushing.stop();
        await until(async () => (await answersQueries()) === 200, 60_000);
        readyAgain.push({ victim, ms: performance.now() - killedAt });
      }
    }
    await drained(server.base, directory.path, 3_000_000).catch((error: unknown) => {
      throw new Error(`${error}: ${server.output().slice(-3000)}`);
    });
    await server.end('SIGTERM');
    const tally = await compareWithDirectory(directory.path, acknowledged);
    for (const victim of victims) {
      const ms = readyAgain.filter((again) => again.victim === victim).map((again) => again.ms);
      if (ms.length > 0) console.log(`killed ${victim}: ready again after ${Math.round(Math.max(...ms))} ms at most`);
    }
    console.log(
      `${rounds} kills, batches of ${itemsOfBatch} items through ${endpoints.length} endpoints, ${tallyText(tally)}`,
    );
    expect(tally.lost).toEqual([]);
    expect(tally.wrong).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(20 * rounds);
  }, 3_600_000);

  /** Uses both stores: one for the session, the other for the rows. */
  async function answersQueries(): Promise<number> {
    const client = testClient(server.base, { cookie: user.cookie });
    const window = { from: 'now-5m', to: 'now' };
    const answer = await client.post(`${user.workspace}/query`, { query: 'spans | limit 1', ...window });
    return answer.status;
  }
});
