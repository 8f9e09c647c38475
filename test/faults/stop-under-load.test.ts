import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { type Endpoint, endpoints, itemsOfBatch, type Target, targetOf } from './support/endpoints.ts';
import { compareWithDirectory, freshDirectory, tallyText } from './support/stored.ts';

const times = () => Array.from({ length: itemsOfBatch }, (_, i) => Date.now() - 1000 - i);

describe('SIGTERM under load', () => {
  const directory = freshDirectory('stop');
  let server: ServerProcess;
  let target: Target;

  beforeAll(async () => {
    const grpcPort = await freePort();
    server = await serveProcess(directory.path, await freePort(), { FANION_OTLP_GRPC_PORT: String(grpcPort) });
    target = targetOf(server.base, grpcPort, await (await signUp(server.base)).token(['telemetry:ingest']));
  });
  afterAll(async () => {
    target?.grpc.close();
    await server?.end('SIGKILL');
    directory.remove();
  });

  it('answers and stores the accepted requests, then exits', async () => {
    const acknowledged = new Map<string, Endpoint>();
    let number = 0;
    let faults = 0;
    let isGone = false;
    const senders = [...endpoints, ...endpoints].map(async (endpoint) => {
      while (!isGone) {
        const id = `batch-${number++}`;
        // A sender understands a 503 or a refused connection; anything else throws.
        const answered = await endpoint.send(target, id, times()).catch(() => {
          faults++;
          return false;
        });
        if (answered) acknowledged.set(id, endpoint);
        else await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    await until(async () => acknowledged.size > 100, 60_000);
    const began = performance.now();
    const exited = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    const [code] = await exited;
    const ended = performance.now() - began;
    isGone = true;
    await Promise.all(senders);
    const tally = await compareWithDirectory(directory.path, acknowledged);
    console.log(`SIGTERM under load: ended with ${code} after ${(ended / 1000).toFixed(1)} s, ${tallyText(tally)}`);
    expect([code, faults]).toEqual([0, 0]);
    expect([tally.lost, tally.wrong]).toEqual([[], []]);
    expect(ended).toBeLessThan(30_000);
  });
});
