import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { itemsOfBatch, type Target, targetOf } from './support/endpoints.ts';
import { compareWithDirectory, drained, freshDirectory, push, tallyText } from './support/stored.ts';

const mebibyte = 1024 ** 2;
const directory = freshDirectory('disk');
const mounted = mountSmallDisk();
if (!mounted) console.log('skipped: this machine does not permit `mount -t tmpfs`, so there is no small disk to fill');
const times = () => Array.from({ length: itemsOfBatch }, (_, i) => Date.now() - 1000 - i);

function mountSmallDisk(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600m', 'fanion-test', directory.path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function free(): number {
  const { bavail, bsize } = statfsSync(directory.path);
  return bavail * bsize;
}

/** Fills the disk until this many bytes are left. */
function fill(name: string, left: number): void {
  const file = openSync(join(directory.path, name), 'a');
  try {
    for (const size of [mebibyte, 4096]) {
      const piece = Buffer.alloc(size, 1);
      while (free() > left + size) writeSync(file, piece);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(file);
  }
}

describe.skipIf(!mounted)('a full disk that is freed', () => {
  let server: ServerProcess;
  let user: SignedUp;
  let target: Target;
  let evaluate: () => Promise<number>;

  beforeAll(async () => {
    const grpcPort = await freePort();
    server = await serveProcess(directory.path, await freePort(), {
      FANION_OTLP_GRPC_PORT: String(grpcPort),
      FANION_MIN_FREE_BYTES: '100MiB',
    });
    user = await signUp(server.base);
    target = targetOf(server.base, grpcPort, await user.token(['telemetry:ingest']));
    const sdk = testClient(server.base, { bearer: await user.sdkKey() });
    evaluate = async () => (await sdk.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'u' } })).status;
  });
  afterAll(async () => {
    target?.grpc.close();
    await server?.end('SIGKILL');
    if (mounted) execFileSync('umount', [directory.path]);
    directory.remove();
  });

  const projectRenamed = async (name: string) => (await user.patch(user.project, { name })).status;
  const send = (count: number) =>
    fetch(`${server.base}/v1/logs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        resourceLogs: [
          { scopeLogs: [{ logRecords: Array.from({ length: count }, () => ({ body: { stringValue: 'x' } })) }] },
        ],
      }),
    });

  it('stops ingest first, acknowledges nothing falsely, and resumes writes automatically', async () => {
    const acknowledged = new Map();
    const pushing = push(() => target, { acknowledged, times });
    await until(async () => acknowledged.size > 30, 60_000);

    // Below the watermark: ingest stops, and everything else continues.
    fill('first', 60 * mebibyte);
    const refused = await until(async () => {
      const response = await send(1);
      return response.status === 503 && response;
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.text()).toContain('the disk is full');
    expect([await evaluate(), await projectRenamed('while little is left')]).toEqual([200, 200]);

    // Nothing is left: the ballast is deleted, so that the control plane continues for a while.
    fill('second', 0);
    await until(async () => server.output().includes('the ballast file is deleted'));
    expect([await evaluate(), await projectRenamed('on what the ballast left')]).toEqual([200, 200]);
    fill('third', 0);
    // Changes may fail or hang now; only the recovery is promised.
    const during = Promise.allSettled(Array.from({ length: 20 }, (_, i) => projectRenamed(`without room ${i}`)));
    const acknowledgedBefore = acknowledged.size;
    for (let i = 0; i < 20; i++) expect([await evaluate(), (await send(1)).status]).toEqual([200, 503]);
    expect(acknowledged.size).toBe(acknowledgedBefore);

    for (const name of ['first', 'second', 'third']) rmSync(join(directory.path, name), { force: true });
    const freedAt = performance.now();
    await until(async () => acknowledged.size > acknowledgedBefore, 60_000);
    const ingestAfter = performance.now() - freedAt;
    await until(async () => (await projectRenamed('with room again').catch(() => 0)) === 200, 60_000);
    const controlAfter = performance.now() - freedAt;
    console.log(
      `disk freed: ingest resumed after ${Math.round(ingestAfter)} ms, control plane after ${Math.round(controlAfter)} ms`,
    );
    await during;

    await pushing.stop();
    await drained(server.base, directory.path, 60_000);
    await server.end('SIGTERM');
    const tally = await compareWithDirectory(directory.path, acknowledged);
    console.log(`disk full: ${tallyText(tally)}`);
    expect([tally.lost, tally.wrong]).toEqual([[], []]);
  }, 300_000);
});
